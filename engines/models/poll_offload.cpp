// poll-offload: one thread waits in poll(2); a pool receives, runs the session and sends. The
// picture is in offload.h.
//
// poll's array is the caller's own, so taking a connection out of the set and putting it back
// costs no system call; but every return has to wake the thread that waits, and every wait scans
// the whole array.

#include "engines/engine.h"
#include "engines/loops/offload.h"
#include "net/poll_set.h"

namespace serverlab {

void serve_poll_offload(const ServeOptions& options, const Service& service,
                        const StopSignal& stop) {
  Offload<PollSet>(options, service, stop).run();
}

}  // namespace serverlab
