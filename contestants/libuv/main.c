// The echo server of libuv's guide, with Nagle's algorithm off.

#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

typedef struct {
  uv_write_t request;  // first: libuv gives back its address
  uv_buf_t buffer;
} Write;

static void demand(int status) {
  if (status >= 0) return;
  fprintf(stderr, "%s\n", uv_strerror(status));
  exit(1);
}

static void allocate(uv_handle_t* handle, size_t suggested, uv_buf_t* buffer) {
  (void)handle;
  *buffer = uv_buf_init(malloc(suggested), (unsigned)suggested);
}

static void on_closed(uv_handle_t* handle) { free(handle); }

static void on_written(uv_write_t* request, int status) {
  Write* write = (Write*)request;
  if (status < 0 && !uv_is_closing((uv_handle_t*)request->handle)) {
    uv_close((uv_handle_t*)request->handle, on_closed);
  }
  free(write->buffer.base);
  free(write);
}

static void on_shutdown(uv_shutdown_t* request, int status) {
  (void)status;
  uv_handle_t* handle = (uv_handle_t*)request->handle;
  if (!uv_is_closing(handle)) uv_close(handle, on_closed);
  free(request);
}

static void on_read(uv_stream_t* stream, ssize_t got, const uv_buf_t* buffer) {
  if (got > 0) {
    Write* write = malloc(sizeof *write);
    write->buffer = uv_buf_init(buffer->base, (unsigned)got);
    demand(uv_write(&write->request, stream, &write->buffer, 1, on_written));
    return;
  }
  free(buffer->base);
  if (got == UV_EOF) {
    // What is still to be written goes first.
    uv_shutdown_t* request = malloc(sizeof *request);
    if (uv_shutdown(request, stream, on_shutdown) == 0) return;
    free(request);
  }
  if (got < 0 && !uv_is_closing((uv_handle_t*)stream)) uv_close((uv_handle_t*)stream, on_closed);
}

static void on_connection(uv_stream_t* listener, int status) {
  demand(status);
  uv_tcp_t* connection = malloc(sizeof *connection);
  demand(uv_tcp_init(listener->loop, connection));
  demand(uv_accept(listener, (uv_stream_t*)connection));
  demand(uv_tcp_nodelay(connection, 1));
  demand(uv_read_start((uv_stream_t*)connection, allocate, on_read));
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  uv_loop_t* loop = uv_default_loop();
  uv_tcp_t listener;
  struct sockaddr_in address;
  demand(uv_ip4_addr(argv[1], atoi(argv[2]), &address));
  demand(uv_tcp_init(loop, &listener));
  demand(uv_tcp_bind(&listener, (const struct sockaddr*)&address, 0));
  demand(uv_listen((uv_stream_t*)&listener, 1024, on_connection));
  return uv_run(loop, UV_RUN_DEFAULT);
}
