// The echo server of Node's documentation, with Nagle's algorithm off.
const net = require('node:net');

const [host, port] = process.argv.slice(2);
const server = net.createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => socket.destroy());
  socket.pipe(socket);
});
server.listen({ host, port: Number(port), backlog: 1024 });
