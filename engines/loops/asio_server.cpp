#include "engines/loops/asio_server.h"

#include "base/syscall.h"
#include "engines/connections/accepting.h"
#include "engines/connections/guarded.h"

#include <unistd.h>

namespace serverlab {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

// The queue of timers grows when one is set, and keeps its memory: it is to grow now.
void make_room_for(std::initializer_list<boost::asio::steady_timer*> timers) {
  for (boost::asio::steady_timer* timer : timers) {
    timer->expires_after(std::chrono::hours(1));
    timer->async_wait([](error_code) {});
  }
  for (boost::asio::steady_timer* timer : timers) timer->cancel();
}

}  // namespace

AsioServer::AsioServer(boost::asio::io_context& context, const ServeOptions& options,
                       const StopSignal& stop, Adopt adopt, std::function<void()> when_closed) :
    context_(context),
    options_(options),
    connections_(std::make_shared<AsioConnections>(context, stop, options.drain_limit)),
    acceptor_(asio_acceptor(context.get_executor(), options)),
    rested_(context),
    drain_limit_(context),
    address_(Address::of_local(acceptor_.native_handle())),
    stop_(context, check(::dup(stop.fd()), "dup")),
    adopt_(std::move(adopt)),
    when_closed_(std::move(when_closed)) {
  make_room_for({&rested_, &drain_limit_});
  acceptor_.non_blocking(true);
  stop_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                   [this](error_code) { drain(); });
  await_clients();
}

void AsioServer::await_clients() {
  acceptor_.async_wait(tcp::acceptor::wait_read,
                       HandlerIn(for_accepting_, [this](error_code) { accept(); }));
}

void AsioServer::accept() {
  const std::scoped_lock lock(accepting_);
  if (!acceptor_.is_open()) return;
  const auto alone = admitting(options_);
  const int room = options_.room_beside(conversing());
  if (room == 0) return rest();
  for (int i = 0; i < std::min(room, options_.accept_batch); ++i) {
    error_code error;
    guarded(options_, [&] {
      tcp::socket socket = acceptor_.accept(context_, error);
      if (!error) adopt(std::move(socket));
    });
    if (lacks_descriptors(error.value())) return rest();
    if (error == boost::asio::error::would_block) break;
  }
  await_clients();
}

void AsioServer::rest() {
  rested_.expires_after(accept_rest);
  rested_.async_wait(HandlerIn(for_accepting_, [this](error_code) { accept(); }));
}

void AsioServer::drain() {
  {
    const std::scoped_lock lock(accepting_);
    for (int left = waiting_at(acceptor_.native_handle()); left > 0; --left) {
      guarded(options_, [&] {
        error_code nobody_waits;
        tcp::socket socket = acceptor_.accept(context_, nobody_waits);
        if (!nobody_waits) adopt(std::move(socket));
      });
    }
    acceptor_.close();
    rested_.cancel();
  }
  when_closed_();
  drain_limit_.expires_after(connections_->deadline().left());
  drain_limit_.async_wait(
      HandlerIn(for_draining_, [this](error_code) { connections_->are_cut_off(); }));
  connections_->drain();
}

void run_guarded(boost::asio::io_context& context, const ServeOptions& options) {
  while (!guarded(options, [&] { context.run(); })) {
  }
}

}  // namespace serverlab
