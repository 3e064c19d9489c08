// epoll-reuseport: N threads, each with a loop and a listener of its own; the kernel deals.
//
//                         ┌─ thread 1 ──────────────────────────┐
//               ┌────────▶│ listener 1 ─▶ accept, wait, serve   │
//               │         └─────────────────────────────────────┘
//   clients ═══ hash      ┌─ thread 2 ──────────────────────────┐
//   one port    ├────────▶│ listener 2 ─▶ accept, wait, serve   │
//               │         └─────────────────────────────────────┘
//               └──▶ …      each is the loop of epoll-level (event_loop.h), and shares nothing
//
// By SO_REUSEPORT all listeners have the same address, and the kernel chooses one for each client
// by a hash of both addresses. Nothing is shared, so nothing is contended; but the dealing is blind
// to load, and an idle thread serves no connection that waits at a busy one's listener.
//
// All listeners are there before the first is accepted from: the hash is over those that there are.

#include "engines/engine.h"
#include "engines/loops/event_loop.h"
#include "engines/workers/crew.h"
#include "net/epoll.h"

#include <deque>

namespace serverlab {

void serve_epoll_reuseport(const ServeOptions& options, const Service& service,
                           const StopSignal& stop) {
  ServeOptions each = options;
  each.listening.share_port = true;
  each.listening.found_port = true;
  each.announce = [&each](const Address& address) {
    each.listen = address;
    each.listening.found_port = false;
  };
  std::deque<EventLoop<Epoll>> loops;
  for (int i = 0; i < options.threads; ++i) loops.emplace_back(each, service, stop);

  Crew crew(stop);
  crew.start(options.threads, [loop = loops.begin()]() mutable {
    return [&of_this_thread = *loop++] { of_this_thread.run(); };
  });
  options.announce(each.listen);
  crew.join();
}

}  // namespace serverlab
