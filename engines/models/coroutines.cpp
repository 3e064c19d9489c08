// coroutines: one thread waits in epoll; each connection is a stackless coroutine of our own. The
// picture is in suspending_loop.h, what a coroutine is in task.h.
//
// A connection's state is the place in its code where it waits, and its local variables: a frame of
// some hundred bytes, of which the compiler knows the size. Only the coroutine itself can suspend,
// not a function that it calls.

#include "engines/engine.h"
#include "engines/loops/suspending_loop.h"
#include "engines/workers/task.h"

namespace serverlab {
namespace {

class CoroutineConversation {
 public:
  CoroutineConversation(OwnedFd socket, AnySession session, const StopSignal& stop,
                        Scratch& scratch) :
      socket_(std::move(socket)),
      conversation_(fd(), std::move(session), stop),
      scratch_(scratch),
      task_(converse()) {}

  int fd() const { return socket_.get(); }
  Interest interest() const { return interest_; }
  void resume() const { task_.resume(); }
  bool finished() const { return task_.done(); }

 private:
  // One receive and one send a turn, so that no connection keeps the thread.
  Task converse() {
    Bytes output;
    Next next = Next::read_more;
    Transfer transfer;  // the last of either kind: a variable more is a longer frame
    while (next != Next::close) {
      co_await readable();
      transfer = receive(fd(), scratch_.input);
      if (transfer.status == Transfer::Status::would_block) continue;
      if (transfer.status != Transfer::Status::moved) co_return;
      next = conversation_.advance(scratch_.input.first(transfer.bytes), output);
      while (!output.empty() || next == Next::flush) {
        if (!output.empty()) {
          transfer = send(fd(), output.view());
          if (transfer.status == Transfer::Status::failed) co_return;
          output.consume(transfer.bytes);
        }
        if (!output.empty() || next == Next::flush) co_await writable();
        if (output.empty() && next == Next::flush) next = conversation_.advance({}, output);
      }
      output.release();
    }
    // The rest is read away: closing with unread input could destroy the last reply on its way.
    end_sending(fd());
    do {
      co_await readable();
      transfer = receive(fd(), scratch_.input);
    } while (transfer.status == Transfer::Status::moved ||
             transfer.status == Transfer::Status::would_block);
  }

  std::suspend_always readable() { return waiting_for({.read = true}); }
  std::suspend_always writable() { return waiting_for({.write = true}); }
  std::suspend_always waiting_for(Interest interest) {
    interest_ = interest;
    return {};
  }

  OwnedFd socket_;
  Conversation conversation_;
  Scratch& scratch_;
  Interest interest_;
  Task task_;  // last: it begins at once, and uses the others
};

}  // namespace

void serve_coroutines(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  SuspendingLoop<CoroutineConversation>(options, service, stop).run();
}

}  // namespace serverlab
