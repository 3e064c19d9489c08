// epoll-offload: one thread waits in epoll(7); a pool receives, runs the session, sends, and arms
// the connection again. The picture is in offload.h.
//
// One-shot: the kernel takes a connection out of the set as it reports it, and the worker puts it
// back itself. No thread is woken to do that: the thread that waits hears of a connection when
// there is something to read, and when it is to be closed.

#include "engines/engine.h"
#include "engines/loops/offload.h"

namespace serverlab {

void serve_epoll_offload(const ServeOptions& options, const Service& service,
                         const StopSignal& stop) {
  Offload<Epoll>(options, service, stop).run();
}

}  // namespace serverlab
