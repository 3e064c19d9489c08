// epoll-level: one thread waits in epoll(7) for all connections and runs their sessions. The
// picture is in event_loop.h.
//
// The kernel keeps the set and its list of what is ready, so a wait costs what is ready, not what
// is connected. Level-triggered: a connection with unread input is reported again, so one receive
// per event is enough and nothing is lost.

#include "engines/engine.h"
#include "engines/loops/event_loop.h"
#include "net/epoll.h"

namespace serverlab {

void serve_epoll_level(const ServeOptions& options, const Service& service,
                       const StopSignal& stop) {
  EventLoop<Epoll>(options, service, stop).run();
}

}  // namespace serverlab
