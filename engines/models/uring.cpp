// uring: one thread, one ring; a completion for each operation. The picture is in ring_server.h.
//
//   accept ─▶ connection,   accept ─▶ connection …
//   receive ─▶ bytes,   send ─▶ sent,   receive ─▶ bytes …
//
// The kernel does the operation and tells that it is done, where epoll tells that it can be done.
// Each must be asked for again, and the kernel subscribes to the socket for each anew.

#include "engines/engine.h"
#include "engines/loops/ring_server.h"

namespace serverlab {
namespace {

struct OneShot {
  static constexpr bool sends_quietly = false;
  static void prepare_accept(io_uring_sqe* submission, int fd) {
    ::io_uring_prep_accept(submission, fd, nullptr, nullptr, SOCK_CLOEXEC);
  }
  static void prepare_receive(io_uring_sqe* submission, int fd) {
    constexpr std::size_t as_much_as_fits = 0;
    ::io_uring_prep_recv(submission, fd, nullptr, as_much_as_fits, 0);
  }
};

}  // namespace

void serve_uring(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  RingServer<OneShot>(options, service, stop).run();
}

}  // namespace serverlab
