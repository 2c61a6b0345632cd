// Preload (node -r) for kinesis-mock: it knows no address to listen on and takes all of the
// machine's. Here every port is opened on the loopback only.
'use strict';
const {Server} = require('net');

const listen = Server.prototype.listen;

function isPort(value) {
  return Number.isInteger(Number(value)) && value !== null && value !== '';
}

Server.prototype.listen = function (first, ...rest) {
  const callback = rest.find((argument) => typeof argument === 'function');
  let options = first;
  if (isPort(first)) options = {port: Number(first)};
  if (options && typeof options === 'object' && options.port !== undefined) {
    options = {...options, host: '127.0.0.1'};
    return callback ? listen.call(this, options, callback) : listen.call(this, options);
  }
  return listen.call(this, first, ...rest);
};
