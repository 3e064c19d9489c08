// sockmap: the kernel echoes. An eBPF program, called where a segment arrives, sends it back on the
// socket that it came by; one thread accepts, and ends connections.
//
//            ┌──────── the kernel ────────┐
//  clients ═▶│ receive ─▶ program ─▶ send │═▶ clients
//            └───────────────┬────────────┘
//                            ▼ notice: another so many bytes
//            ┌───────── one thread ────────┐
//            │ accept; sleep; at the end   │  and close it if its client does not read the echo
//            │ let it be sent, then close  │
//            └─────────────────────────────┘
//
// No thread is woken for a request, and none can be asked what it cost: the work is done within the
// sender's own system call, or by a worker of the kernel. No session is run.

#include "base/reserve.h"
#include "engines/connections/accepting.h"
#include "engines/connections/connections.h"
#include "engines/engine.h"
#include "engines/loops/drain.h"
#include "engines/loops/served_connections.h"
#include "net/epoll.h"
#include "net/kernel_echo.h"
#include "net/tcp_totals.h"

#include <algorithm>
#include <sys/resource.h>
#include <vector>

namespace serverlab {
namespace {

// If the kernel keeps more for a client, the server closes the connection. So much, since nothing
// stops a client that sends for a while before it receives.
constexpr std::size_t kept_bytes_max = 16 << 20;

// No event tells that all has been sent, so that the loop looks again after a while.
constexpr Duration settling_rest = std::chrono::milliseconds(1);

// The kernel makes room for all there may be, at once: 100 MB for so many.
constexpr rlim_t descriptors_max = 1 << 20;

int descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<int>(std::min(limit.rlim_cur, descriptors_max));
}

class EchoedConnection {
 public:
  explicit EchoedConnection(OwnedFd socket) : socket_(std::move(socket)) {}
  int fd() const { return socket_.get(); }

  /// @return whether it had ended before
  bool set_ended() { return std::exchange(ended_, true); }

 private:
  OwnedFd socket_;
  bool ended_ = false;
};

class KernelLoop {
 public:
  KernelLoop(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      stop_(stop),
      drain_(stop, options.drain_limit),
      descriptor_limit_(descriptor_limit()),
      kernel_(descriptor_limit_, kept_bytes_max / 2, [this](int fd) { noticed(fd); }),
      acceptor_(options, poller_),
      ended_before_(options, service, stop, poller_) {
    poller_.add(stop.fd(), {.read = true});
    poller_.add(kernel_.notices_fd(), {.read = true});
    acceptor_.announce();
  }

  void run() {
    while (drain_.goes_on(is_idle())) {
      for (const Ready& event : poller_.wait(wait_limit())) dispatch(event);
      close_overfull();
      close_settled();
      ended_before_.close_finished();
      acceptor_.resume_if_rested();
      if (drain_.begins()) end_connections();
    }
    count_unanswered_echoes();
  }

 private:
  void dispatch(const Ready& event) {
    if (event.fd == stop_.fd()) {
      drain_.ask();
    } else if (event.fd == kernel_.notices_fd()) {
      kernel_.read_notices();
    } else if (event.fd == acceptor_.fd()) {
      acceptor_.accept([this](OwnedFd socket) { adopt(std::move(socket)); });
    } else if (echoed_.has(event.fd)) {
      if (!echoed_.at(event.fd).set_ended()) ended_.push_back(event.fd);
    } else {
      ended_before_.serve(event);
    }
  }

  // The one event of a connection that the kernel echoes is its end, told as a change.
  void adopt(OwnedFd socket) {
    if (socket.get() >= descriptor_limit_) return;
    for (auto* of_all : {&ended_, &overfull_}) reserve_room(*of_all, echoed_.count() + 1);
    if (!kernel_.take(socket.get())) return ended_before_.adopt(std::move(socket));
    const int fd = socket.get();
    try {
      echoed_.open(std::move(socket), [&](auto&) { poller_.add(fd, {}, Trigger::edge); });
    } catch (...) {
      kernel_.forget(fd);
      throw;
    }
  }

  void noticed(int fd) {
    if (!echoed_.has(fd)) return;
    if (kernel_.kept_bytes(fd) > kept_bytes_max) {
      overfull_.push_back(fd);
    } else {
      kernel_.watch_again(fd);
    }
  }

  // After the batch, since a later event of it may be about the same connection.
  void close_overfull() {
    for (const int fd : overfull_) {
      reset_at_close(fd);
      close(fd);
    }
    overfull_.clear();
  }

  void close_settled() {
    std::erase_if(ended_, [this](int fd) {
      if (echoed_.has(fd) && !kernel_.is_settled(fd)) return false;
      close(fd);
      return true;
    });
  }

  void close(int fd) {
    if (!echoed_.has(fd)) return;
    poller_.remove(fd);
    kernel_.forget(fd);
    echoed_.close(fd);
  }

  void end_connections() {
    acceptor_.close([this](OwnedFd socket) { adopt(std::move(socket)); });
    poller_.remove(stop_.fd());
    echoed_.end_receiving_all();
    ended_before_.end_receiving_all();
  }

  // All that came is to leave again.
  void count_unanswered_echoes() const {
    echoed_.each([](const EchoedConnection& connection) {
      const std::optional<TcpTotals> totals = tcp_totals(connection.fd());
      if (totals && totals->sent != totals->received) ++counters().unanswered;
    });
  }

  bool is_idle() const { return echoed_.count() == 0 && ended_before_.empty(); }

  Duration wait_limit() const {
    if (!ended_.empty()) return settling_rest;
    return drain_.wait_limit(acceptor_.wait_limit());
  }

  const StopSignal& stop_;
  Drain drain_;
  const int descriptor_limit_;
  Epoll poller_;
  KernelEcho kernel_;
  Acceptor<Epoll> acceptor_;
  ConnectionsOf<EchoedConnection> echoed_;
  ServedConnections<Epoll> ended_before_;  // they were accepted: as epoll-level serves them
  std::vector<int> overfull_;              // here and below is room for all that are echoed
  std::vector<int> ended_;                 // and not closed yet, since they may not have settled
};

}  // namespace

void serve_sockmap(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  KernelLoop(options, service, stop).run();
}

}  // namespace serverlab
