// fibers: one thread waits in epoll; each connection is a fiber, with a stack of its own. The
// picture is in suspending_loop.h, what a fiber is in fiber.h.
//
// The code of a connection is that of a thread that sleeps in its calls, but where a thread would
// sleep, a fiber switches to the loop, in user space and in nanoseconds. Any function that it calls
// can suspend it, however deep; for that it keeps a whole stack, of which a page or two are used.

#include "engines/engine.h"
#include "engines/loops/suspending_loop.h"
#include "engines/workers/crew.h"
#include "engines/workers/fiber.h"

namespace serverlab {
namespace {

Stacks& stacks() {
  static thread_local Stacks of_this_thread;
  return of_this_thread;
}

class FiberConversation {
 public:
  FiberConversation(OwnedFd socket, AnySession session, const StopSignal& stop, Scratch& scratch) :
      socket_(std::move(socket)),
      conversation_(fd(), std::move(session), stop),
      scratch_(scratch),
      fiber_(stacks(), [this](Fiber& fiber) { converse(fiber); }) {}

  int fd() const { return socket_.get(); }
  Interest interest() const { return interest_; }
  void resume() { fiber_.resume(); }
  bool finished() const { return fiber_.done(); }

 private:
  void converse(Fiber& self) {
    Bytes output;
    Next next = Next::read_more;
    while (next != Next::close) {
      const Transfer received = receive_something(self);
      if (received.status != Transfer::Status::moved) return;
      next = conversation_.advance(scratch_.input.first(received.bytes), output);
      if (!send_all(self, output)) return;
      while (next == Next::flush) {
        next = conversation_.advance({}, output);
        if (!wait(self, {.write = true}) || !send_all(self, output)) return;
      }
    }
    // The rest is read away: closing with unread input could destroy the last reply on its way.
    end_sending(fd());
    while (receive_something(self).status == Transfer::Status::moved) {
    }
  }

  Transfer receive_something(Fiber& self) {
    Transfer received;
    while (received.status == Transfer::Status::would_block) {
      if (!wait(self, {.read = true})) return {.status = Transfer::Status::ended};
      received = receive(fd(), scratch_.input);
    }
    return received;
  }

  bool send_all(Fiber& self, Bytes& output) {
    while (!output.empty()) {
      const Transfer sent = send(fd(), output.view());
      if (sent.status == Transfer::Status::failed) return false;
      output.consume(sent.bytes);
      if (!output.empty() && !wait(self, {.write = true})) return false;
    }
    output.release();
    return true;
  }

  bool wait(Fiber& self, Interest interest) {
    interest_ = interest;
    return self.suspend();
  }

  OwnedFd socket_;
  Conversation conversation_;
  Scratch& scratch_;
  Interest interest_;
  Fiber fiber_;  // last: it begins at once, and uses the others
};

}  // namespace

void serve_fibers(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  const auto serve = [&] { SuspendingLoop<FiberConversation>(options, service, stop).run(); };
#ifdef __SANITIZE_THREAD__
  // On a thread of its own, since signals come to the first one: the thread sanitizer keeps a
  // signal that comes to a fiber until that fiber goes on.
  Crew crew(stop);
  constexpr int one_thread = 1;
  crew.start(one_thread, [&] { return serve; });
  crew.join();
#else
  serve();
#endif
}

}  // namespace serverlab
