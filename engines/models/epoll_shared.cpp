// epoll-shared: N threads wait in one epoll(7); whichever is told of a descriptor has it.
//
//            ┌── one epoll, one-shot ──┐      ┌─ thread 1: wait for one, handle, arm ─┐
//  clients ═▶│ listener, connections   │─────▶│ thread 2: wait for one, handle, arm   │
//            └─────────────────────────┘      │   ⋮                                   │
//                                             └─ thread N: wait for one, handle, arm ─┘
//
// There is no queue but the kernel's, no dealing, and no thread idle while a connection waits. Each
// wait takes one event: a thread that took more would sit on those that it has not begun, while
// others sleep. What happens to a descriptor is in one_shot.h.

#include "engines/workers/crew.h"
#include "engines/engine.h"
#include "engines/loops/shared_epoll.h"

namespace serverlab {

void serve_epoll_shared(const ServeOptions& options, const Service& service,
                        const StopSignal& stop) {
  OneShot shared(options, service, stop);
  Crew crew(stop);
  for (int i = 0; i < options.threads; ++i) {
    crew.start([&] {
      Scratch scratch(options.read_buffer_bytes);
      while (shared.handle(shared.epoll().wait_for_one(), scratch)) {
      }
    });
  }
  crew.join();
}

}  // namespace serverlab
