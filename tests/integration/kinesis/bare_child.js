// The least that a child of the KCL's daemon may be: answers each call, and leaves a file behind
// when the first records come. For comparison of start times: node bare_child.js FILE
'use strict';
const fs = require('fs');
const readline = require('readline');

readline.createInterface({input: process.stdin}).on('line', (line) => {
  const {action, records} = JSON.parse(line);
  if (records && records.length > 0) fs.writeFileSync(process.argv[2], 'here');
  process.stdout.write(JSON.stringify({action: 'status', responseFor: action}) + '\n');
});
