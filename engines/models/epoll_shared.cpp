// epoll-shared: N threads wait in one epoll(7); whichever is told of a descriptor has it.
//
//            ┌── one epoll, one-shot ──┐      ┌─ thread 1: wait for one, handle, arm ─┐
//  clients ═▶│ listener, connections   │─────▶│ thread 2: wait for one, handle, arm   │
//            └─────────────────────────┘      │   ⋮                                   │
//                                             └─ thread N: wait for one, handle, arm ─┘
//
// There is no queue but the kernel's, no dealing, and no thread idle while a connection waits. Each
// wait takes one event: a thread that took more would sit on those that it has not begun, while
// others sleep. What happens to a descriptor is in shared_epoll.h.

#include "engines/engine.h"
#include "engines/loops/shared_epoll.h"
#include "engines/workers/crew.h"

namespace serverlab {

void serve_epoll_shared(const ServeOptions& options, const Service& service,
                        const StopSignal& stop) {
  SharedEpoll shared(options, service, stop);
  Crew crew(stop);
  crew.start(options.threads, [&] {
    return [&, scratch = Scratch(options.read_buffer_bytes)]() mutable {
      while (shared.handle(shared.epoll().wait_for_one(), scratch)) {
      }
    };
  });
  shared.announce();
  crew.join();
}

}  // namespace serverlab
