// poll: one thread waits in poll(2) for all connections and runs their sessions. The picture is in
// event_loop.h.
//
// The caller keeps the set, so each wait hands the kernel an array with an entry per connection,
// and the kernel looks at every one of them: a wait costs what is connected, not what is ready.

#include "engines/engine.h"
#include "engines/loops/event_loop.h"
#include "net/poll_set.h"

namespace serverlab {

void serve_poll(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  EventLoop<PollSet>(options, service, stop).run();
}

}  // namespace serverlab
