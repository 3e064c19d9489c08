// epoll-spin: one thread asks epoll(7) again and again instead of sleeping in it, for a while. The
// rest of the picture is in reactor.h.
//
//              ┌──────────────────────────────────────────┐ an event
//    wait ──▶  │ ask, without waiting ─▶ nothing ─▶ again │────────▶ its turn, then wait …
//              └─────────────────────┬────────────────────┘             ▲
//                                    │ nothing for --spin               │
//                                    └────▶ sleep until there is one ───┘
//
// A thread that sleeps has to be woken, by a processor that has to leave its own sleep first. One
// that asks finds the next request as soon as it is there, and uses its CPU whole meanwhile: so
// nobody else should need that CPU, least of all the client.

#include "engines/engine.h"
#include "engines/reactor.h"
#include "net/epoll.h"

namespace serverlab {
namespace {

class SpinningEpoll : public Epoll {
 public:
  explicit SpinningEpoll(Duration spin) : spin_(spin) {}

  void wait(std::vector<Ready>& ready, Duration limit) {
    const bool may_sleep = limit < Duration::zero() || limit > spin_;
    const Instant spin_until = now() + (may_sleep ? spin_ : limit);
    do {
      Epoll::wait(ready, Duration::zero());
      if (!ready.empty()) return;
    } while (now() < spin_until);
    if (may_sleep) Epoll::wait(ready, limit);
  }

 private:
  Duration spin_;
};

}  // namespace

void serve_epoll_spin(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  Reactor<SpinningEpoll>(options, service, stop, SpinningEpoll(options.spin)).run();
}

}  // namespace serverlab
