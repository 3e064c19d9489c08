// asio-coroutines: one thread runs an Asio io_context; a coroutine for each connection.
//
//               ┌────────────────────── one thread ─────────────────────┐
//   clients ══▶ │ io_context.run(): wait in epoll ─▶ do the operation   │
//               │      ▲                                 │ resume       │
//               │      │ suspend    ┌────────────────────▼────────────┐ │
//               │      └────────────│ co_await read ─▶ session ─▶     │ │
//               │                   │ co_await write ─▶ read again …  │ │
//               │                   └─────────────────────────────────┘ │
//               └───────────────────────────────────────────────────────┘
//
// The order of a connection's operations is the order of its lines. Its state lives in the
// coroutine's frame, not in an object that each callback must keep alive.

#include "base/syscall.h"
#include "engines/connections/accepting.h"
#include "engines/connections/asio_sockets.h"
#include "engines/connections/conversation.h"
#include "engines/engine.h"

#include <unistd.h>

namespace serverlab {
namespace {

using boost::asio::awaitable;
using boost::asio::redirect_error;
using boost::asio::use_awaitable;
using boost::asio::ip::tcp;
using boost::system::error_code;

class CoroutineServer {
 public:
  CoroutineServer(boost::asio::io_context& context, const ServeOptions& options,
                  const Service& service, const StopSignal& stop) :
      context_(context),
      options_(options),
      service_(service),
      connections_(context),
      acceptor_(asio_acceptor(context.get_executor(), options)),
      stop_(context, check(::dup(stop.fd()), "dup")),
      rest_(context) {
    start(accept());
    start(drain_when_asked());
    options.announce(Address::of_local(acceptor_.native_handle()));
  }

 private:
  void start(awaitable<void> coroutine) {
    boost::asio::co_spawn(context_, std::move(coroutine), boost::asio::detached);
  }

  awaitable<void> accept() {
    while (acceptor_.is_open()) {
      error_code error;
      tcp::socket socket = co_await acceptor_.async_accept(redirect_error(use_awaitable, error));
      if (!error) adopt(std::move(socket));
      if (error == boost::asio::error::no_descriptors) {
        rest_.expires_after(accept_rest);
        co_await rest_.async_wait(redirect_error(use_awaitable, error));
      }
    }
    connections_.drain();
  }

  void adopt(tcp::socket socket) {
    connections_.add(socket.native_handle());
    Conversation conversation(service_.open(socket.native_handle()));
    start(serve(std::move(socket), std::move(conversation)));
  }

  awaitable<void> serve(tcp::socket socket, Conversation conversation) {
    error_code error;  // the peer has ended, and has had all its replies; or it has vanished
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(options_.read_buffer_bytes);
    const boost::asio::mutable_buffer input(memory.get(), options_.read_buffer_bytes);
    Bytes output;
    Next next = Next::read_more;
    while (!error && next != Next::close) {
      const std::size_t size =
          co_await socket.async_read_some(input, redirect_error(use_awaitable, error));
      if (error) break;
      counters().bytes_in += size;
      next = conversation.advance({memory.get(), size}, output);
      while (!error && (!output.empty() || next == Next::flush)) {
        const boost::asio::const_buffer reply(output.view().data(), output.size());
        counters().bytes_out +=
            co_await boost::asio::async_write(socket, reply, redirect_error(use_awaitable, error));
        output.clear();
        if (next == Next::flush) next = conversation.advance({}, output);
      }
    }
    // The rest is read away: closing with unread input could destroy the last reply on its way.
    end_sending(socket.native_handle());
    while (!error) co_await socket.async_read_some(input, redirect_error(use_awaitable, error));
    connections_.remove(socket.native_handle());
  }

  awaitable<void> drain_when_asked() {
    using boost::asio::posix::stream_descriptor;
    co_await stop_.async_wait(stream_descriptor::wait_read, use_awaitable);
    accept_waiting_and_close(acceptor_, context_,
                             [this](tcp::socket socket) { adopt(std::move(socket)); });
    rest_.cancel();
    boost::asio::steady_timer limit(context_, options_.drain_limit);
    co_await limit.async_wait(use_awaitable);
    context_.stop();
  }

  boost::asio::io_context& context_;
  const ServeOptions& options_;
  const Service& service_;
  AsioConnections connections_;
  AsioAcceptor acceptor_;
  boost::asio::posix::stream_descriptor stop_;
  boost::asio::steady_timer rest_;
};

}  // namespace

void serve_asio_coroutines(const ServeOptions& options, const Service& service,
                           const StopSignal& stop) {
  constexpr int one_thread = 1;  // tells Asio that it needs no locks for its own queues
  boost::asio::io_context context(one_thread);
  const CoroutineServer server(context, options, service, stop);
  context.run();
}

}  // namespace serverlab
