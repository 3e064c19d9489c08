// The server of Node's documentation, which never closes a connection by itself.
const http = require('node:http');

const [host, port] = process.argv.slice(2);
const server = http.createServer({ keepAliveTimeout: 0 }, (request, reply) => {
  const found = request.url === '/';
  const body = found ? 'Hello, World!' : 'not found';
  reply.writeHead(found ? 200 : 404, {
    'Content-Type': 'text/plain',
    'Content-Length': Buffer.byteLength(body),
  });
  reply.end(body);
});
server.listen({ host, port: Number(port), backlog: 1024 });
