// The server of Node's documentation, which never closes a connection by itself, with the other
// resources of serverlab's http service. Node's http turns Nagle's algorithm off by itself.
const http = require('node:http');

const PRINTABLE = Buffer.from(Array.from({ length: 95 }, (_, i) => 32 + i));

function send(reply, status, content) {
  reply.writeHead(status, {
    'Content-Type': 'text/plain',
    'Content-Length': Buffer.byteLength(content),
  });
  reply.end(content);
}

function sendBytes(reply, url) {
  const size = /^\/bytes\/(\d{1,9})$/.exec(url);
  if (size) send(reply, 200, Buffer.alloc(Number(size[1]), PRINTABLE));
  else send(reply, 404, 'not found');
}

function sendBack(request, reply) {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => send(reply, 200, Buffer.concat(pieces)));
}

const [host, port] = process.argv.slice(2);
const server = http.createServer({ keepAliveTimeout: 0 }, (request, reply) => {
  if (request.url === '/') send(reply, 200, 'Hello, World!');
  else if (request.url === '/echo') sendBack(request, reply);
  else sendBytes(reply, request.url);
});
server.listen({ host, port: Number(port), backlog: 1024 });
