// An echo server as libuv's own examples write it: one loop, a request for each write. It prints
// the `listening` event of serverlab-server, and serves until it is killed.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <uv.h>

namespace {

struct Write {
  uv_write_t request;  // first: libuv gives back its address
  uv_buf_t buffer;
};

void demand(int status) {
  if (status >= 0) return;
  std::fprintf(stderr, "%s\n", uv_strerror(status));
  std::exit(1);
}

void allocate(uv_handle_t* /*handle*/, std::size_t suggested, uv_buf_t* buffer) {
  *buffer =
      uv_buf_init(static_cast<char*>(std::malloc(suggested)), static_cast<unsigned>(suggested));
}

void on_written(uv_write_t* request, int /*status*/) {
  Write* write = reinterpret_cast<Write*>(request);
  std::free(write->buffer.base);
  delete write;
}

void on_closed(uv_handle_t* handle) { delete reinterpret_cast<uv_tcp_t*>(handle); }

void on_read(uv_stream_t* stream, ssize_t got, const uv_buf_t* buffer) {
  if (got > 0) {
    auto* write = new Write{{}, uv_buf_init(buffer->base, static_cast<unsigned>(got))};
    demand(uv_write(&write->request, stream, &write->buffer, 1, on_written));
    return;
  }
  std::free(buffer->base);
  if (got < 0) uv_close(reinterpret_cast<uv_handle_t*>(stream), on_closed);
}

void on_connection(uv_stream_t* listener, int status) {
  demand(status);
  auto* connection = new uv_tcp_t;
  demand(uv_tcp_init(listener->loop, connection));
  auto* stream = reinterpret_cast<uv_stream_t*>(connection);
  demand(uv_accept(listener, stream));
  demand(uv_tcp_nodelay(connection, 1));
  demand(uv_read_start(stream, allocate, on_read));
}

}  // namespace

int main() {
  uv_loop_t* loop = uv_default_loop();
  uv_tcp_t listener;
  sockaddr_in address{};
  demand(uv_ip4_addr("127.0.0.1", 0, &address));
  demand(uv_tcp_init(loop, &listener));
  demand(uv_tcp_bind(&listener, reinterpret_cast<const sockaddr*>(&address), 0));
  // What all peers set, so that the kernel does the same for each.
  int fd = -1;
  demand(uv_fileno(reinterpret_cast<const uv_handle_t*>(&listener), &fd));
  ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", std::strlen("reno"));
  demand(uv_listen(reinterpret_cast<uv_stream_t*>(&listener), 4096, on_connection));
  int size = sizeof address;
  demand(uv_tcp_getsockname(&listener, reinterpret_cast<sockaddr*>(&address), &size));
  std::printf("{\"event\":\"listening\",\"address\":\"127.0.0.1:%d\"}\n", ntohs(address.sin_port));
  std::fflush(stdout);
  return uv_run(loop, UV_RUN_DEFAULT);
}
