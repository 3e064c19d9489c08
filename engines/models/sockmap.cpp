// sockmap: the kernel echoes. An eBPF program, called where a segment arrives, sends it back on the
// socket that it came by; one thread accepts, and ends connections.
//
//            ┌──────── the kernel ────────┐
//  clients ═▶│ receive ─▶ program ─▶ send │═▶ clients
//            └───────────────┬────────────┘
//                            ▼ notice: another so many bytes
//            ┌───────── one thread ────────┐
//            │ accept; sleep; at the end   │  and hang up on who does not take what comes back
//            │ let it be sent, then close  │
//            └─────────────────────────────┘
//
// No thread is woken for a request, and none can be asked what it cost: the work is done within the
// sender's own system call, or by a worker of the kernel. No session is run.

#include "engines/connections/accepting.h"
#include "engines/connections/connections.h"
#include "engines/engine.h"
#include "engines/loops/served_connections.h"
#include "net/epoll.h"
#include "net/kernel_echo.h"

#include <algorithm>
#include <sys/resource.h>
#include <vector>

namespace serverlab {
namespace {

// A peer for which the kernel keeps more is hung up on. So much, since nothing holds up those who
// send for a while before they receive.
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

 private:
  OwnedFd socket_;
};

class KernelReactor {
 public:
  KernelReactor(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      stop_(stop),
      drain_limit_(options.drain_limit),
      descriptor_limit_(descriptor_limit()),
      kernel_(descriptor_limit_, kept_bytes_max / 2, [this](int fd) { noticed(fd); }),
      acceptor_(options, poller_),
      ended_before_(options, service, poller_) {
    poller_.add(stop.fd(), {.read = true});
    poller_.add(kernel_.notices_fd(), {.read = true});
  }

  void run() {
    while (!draining_ || (any_left() && now() < drain_deadline_)) {
      poller_.wait(ready_, wait_limit());
      for (const Ready& event : ready_) dispatch(event);
      close_hung_up_on();
      close_settled();
      ended_before_.close_finished();
      acceptor_.resume_if_rested();
      if (stop_asked_ && !draining_) drain();
    }
  }

 private:
  void dispatch(const Ready& event) {
    if (event.fd == stop_.fd()) {
      stop_asked_ = true;
    } else if (event.fd == kernel_.notices_fd()) {
      kernel_.read_notices();
    } else if (event.fd == acceptor_.fd()) {
      acceptor_.accept([this](OwnedFd socket) { adopt(std::move(socket)); });
    } else if (echoed_.has(event.fd)) {
      ended_.push_back(event.fd);
    } else {
      ended_before_.serve(event);
    }
  }

  // The one event of a connection that the kernel echoes is its end, told as a change.
  void adopt(OwnedFd socket) {
    if (socket.get() >= descriptor_limit_) return;
    if (!kernel_.take(socket.get())) return ended_before_.adopt(std::move(socket));
    poller_.add(socket.get(), {}, Trigger::edge);
    echoed_.open(std::move(socket));
  }

  void noticed(int fd) {
    if (!echoed_.has(fd)) return;
    if (kernel_.kept_bytes(fd) > kept_bytes_max) {
      hung_up_on_.push_back(fd);
    } else {
      kernel_.watch_again(fd);
    }
  }

  // After the batch, since a later event of it may be about the same connection.
  void close_hung_up_on() {
    for (const int fd : std::exchange(hung_up_on_, {})) {
      reset_at_close(fd);
      close(fd);
    }
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

  void drain() {
    acceptor_.close([this](OwnedFd socket) { adopt(std::move(socket)); });
    poller_.remove(stop_.fd());
    echoed_.end_receiving_all();
    ended_before_.end_receiving_all();
    draining_ = true;
    drain_deadline_ = now() + drain_limit_;
  }

  bool any_left() const { return echoed_.count() > 0 || !ended_before_.empty(); }

  Duration wait_limit() const {
    if (!ended_.empty()) return settling_rest;
    return draining_ ? std::max(Duration::zero(), drain_deadline_ - now()) : acceptor_.wait_limit();
  }

  const StopSignal& stop_;
  const Duration drain_limit_;
  const int descriptor_limit_;
  Epoll poller_;
  KernelEcho kernel_;
  Acceptor<Epoll> acceptor_;
  ConnectionsOf<EchoedConnection> echoed_;
  ServedConnections<Epoll> ended_before_;  // they were accepted: as epoll-level serves them
  std::vector<Ready> ready_;
  std::vector<int> hung_up_on_;
  std::vector<int> ended_;   // and not closed yet, since they may not have settled
  bool stop_asked_ = false;  // acted upon after the batch, in which the listener may still come
  bool draining_ = false;
  Instant drain_deadline_;
};

}  // namespace

void serve_sockmap(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  KernelReactor(options, service, stop).run();
}

}  // namespace serverlab
