// select: one thread waits in select(2) for all connections and runs their sessions. The picture
// is in event_loop.h.
//
// The caller keeps two bit sets, by descriptor, and each wait hands the kernel fresh copies that it
// overwrites: a wait costs the highest descriptor, however few are connected. The sets have 1024
// bits; a connection with a descriptor beyond them is closed.

#include "engines/engine.h"
#include "engines/loops/event_loop.h"
#include "net/select_set.h"

namespace serverlab {

void serve_select(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  EventLoop<SelectSet>(options, service, stop).run();
}

}  // namespace serverlab
