// Stands between the KCL and the local services and makes them fail as a test asks:
//
//   node faults.js KINESIS_PORT DYNAMODB_PORT
//
// Opens one port for each and one for orders, all on the loopback, and prints them as one line of
// JSON: {"kinesis": port, "dynamodb": port, "orders": port}. The KCL speaks HTTP/2 with Kinesis and
// HTTP/1.1 with DynamoDB; both services are asked by HTTP/1.1.
//
// An order is a POST with JSON, answered with the counts of rules that hit since the last order:
//   {"down": ["kinesis"],            // these refuse connections, and those open are cut
//    "rules": [{
//      "service": "dynamodb",
//      "operations": ["UpdateItem"], // absent: all
//      "contains": "text",           // in the request's body; absent: all
//      "share": 0.1,                 // of the requests; absent: each
//      "seed": 1,                    // of the choice
//      "delay_ms": 100,              // first wait
//      "lose": true,                 // the service does it, its answer is lost
//      "answer": {"status": 400, "code": "...", "message": "..."}}]}  // the service sees nothing
// It replaces the order before it.
'use strict';
const http = require('http');
const http2 = require('http2');

const host = '127.0.0.1';
const agent = new http.Agent({keepAlive: true});
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'proxy-connection'];
let rules = [];

function allowed(headers) {
  return Object.fromEntries(Object.entries(headers).filter(
      ([name]) => !name.startsWith(':') && !hopByHop.includes(name)));
}

// A linear congruential generator: the same requests meet the same faults from the same seed.
function chance(rule) {
  rule.state = (Math.imul(rule.state, 1664525) + 1013904223) >>> 0;
  return rule.state / 2 ** 32 < (rule.share ?? 1);
}

function findRule(service, operation, body) {
  return rules.find((rule) => rule.service === service &&
      (!rule.operations || rule.operations.includes(operation)) &&
      (!rule.contains || body.includes(rule.contains)) && chance(rule));
}

// The KCL speaks CBOR with Kinesis: a map of two short texts.
function cborError({code, message}) {
  const text = (value) => {
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.from([0x79, bytes.length >> 8, bytes.length & 0xff]), bytes]);
  };
  return Buffer.concat(
      [Buffer.from([0xa2]), ...['__type', code, 'message', message].map(text)]);
}

function sendError(request, response, answer) {
  const type = request.headers['content-type'] || 'application/x-amz-json-1.1';
  const body = type.includes('cbor') ?
      cborError(answer) :
      Buffer.from(JSON.stringify({__type: answer.code, message: answer.message}));
  response.writeHead(answer.status, {
    'content-type': type,
    'content-length': body.length,
    'x-amzn-errortype': answer.code,
    'x-amzn-requestid': 'injected',
  });
  response.end(body);
}

function cut(request) {
  if (request.stream && request.stream.session) request.stream.session.destroy();
  else request.socket.destroy();
}

function pass(request, response, body, port, lose) {
  const headers = {...allowed(request.headers), 'content-length': body.length};
  if (request.headers[':authority']) headers.host = request.headers[':authority'];
  const asked = http.request(
      {host, port, agent, method: request.method, path: request.url, headers}, (answer) => {
        if (lose) {
          answer.resume();
          answer.on('end', () => cut(request));
          return;
        }
        response.writeHead(answer.statusCode, allowed(answer.headers));
        if (response.flushHeaders) response.flushHeaders();
        answer.on('error', () => cut(request));
        answer.pipe(response);
      });
  asked.on('error', () => cut(request));
  response.on('close', () => {
    if (!response.writableFinished) asked.destroy();
  });
  asked.end(body);
}

function handler(service, port) {
  return (request, response) => {
    const parts = [];
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      const operation = (request.headers['x-amz-target'] || '').split('.').pop();
      const rule = findRule(service, operation, body);
      if (rule) ++rule.hits;
      setTimeout(() => {
        if (rule && rule.answer) return sendError(request, response, rule.answer);
        pass(request, response, body, port, rule && rule.lose);
      }, (rule && rule.delay_ms) || 0);
    });
  };
}

// A port that can be closed as if nobody were there, and opened again.
class Front {
  constructor(server) {
    this.server = server;
    this.sockets = new Set();
    this.port = 0;
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
      socket.on('error', () => {});
    });
    server.on('sessionError', () => {});
    server.on('clientError', (error, socket) => socket.destroy());
  }

  async open() {
    if (this.server.listening) return;
    await new Promise((done, failed) => {
      this.server.once('error', failed);
      this.server.listen(this.port, host, done);
    });
    this.port = this.server.address().port;
  }

  async close() {
    if (!this.server.listening) return;
    const closed = new Promise((done) => this.server.close(done));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

async function obey(fronts, order) {
  const hits = rules.map((rule) => rule.hits);
  rules = (order.rules || []).map((rule) => ({...rule, hits: 0, state: rule.seed || 1}));
  for (const [service, front] of Object.entries(fronts)) {
    await ((order.down || []).includes(service) ? front.close() : front.open());
  }
  return {hits};
}

async function main(kinesisPort, dynamodbPort) {
  const fronts = {
    kinesis: new Front(http2.createServer(handler('kinesis', kinesisPort))),
    dynamodb: new Front(http.createServer(handler('dynamodb', dynamodbPort))),
  };
  const orders = new Front(http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', async () => {
      const answer = await obey(fronts, JSON.parse(Buffer.concat(parts)));
      response.writeHead(200, {'content-type': 'application/json'});
      response.end(JSON.stringify(answer));
    });
  }));
  await Promise.all([fronts.kinesis.open(), fronts.dynamodb.open(), orders.open()]);
  console.log(JSON.stringify({
    kinesis: fronts.kinesis.port, dynamodb: fronts.dynamodb.port, orders: orders.port}));
}

main(Number(process.argv[2]), Number(process.argv[3]));
