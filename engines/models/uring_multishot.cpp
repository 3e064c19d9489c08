// uring-multishot: one thread, one ring; an accept and a receive stay armed and complete many
// times. The picture is in ring_server.h.
//
//   once per listener:     accept  ─▶ connection ─▶ connection ─▶ connection …
//   once per connection:   receive ─▶ bytes ─▶ bytes ─▶ bytes …
//   once per reply:        send    ─▶ (nothing, if the socket takes all)
//
// The kernel stays subscribed to a socket, so that a request costs the submission of its reply and
// the completion that brings it. A send that the socket takes whole is over when the call that has
// submitted it returns, so it need not say so.
//
// What is armed comes uncalled: the kernel ends it when buffers or descriptors have run out, and it
// is cancelled when a peer sends more than it takes in return.

#include "engines/engine.h"
#include "engines/loops/ring_server.h"

namespace serverlab {
namespace {

struct Multishot {
  static constexpr bool sends_quietly = true;
  static void prepare_accept(io_uring_sqe* submission, int fd) {
    ::io_uring_prep_multishot_accept(submission, fd, nullptr, nullptr, SOCK_CLOEXEC);
  }
  static void prepare_receive(io_uring_sqe* submission, int fd) {
    ::io_uring_prep_recv_multishot(submission, fd, nullptr, 0, 0);
  }
};

}  // namespace

void serve_uring_multishot(const ServeOptions& options, const Service& service,
                           const StopSignal& stop) {
  RingServer<Multishot>(options, service, stop).run();
}

}  // namespace serverlab
