// epoll-spin: one thread asks epoll(7) again and again instead of sleeping in it, for a while. The
// rest of the picture is in event_loop.h.
//
//              ┌──────────────────────────────────────────┐ an event
//    wait ──▶  │ ask, without waiting ─▶ nothing ─▶ again │────────▶ its turn, then wait …
//              └─────────────────────┬────────────────────┘             ▲
//                                    │ nothing for --spin               │
//                                    └────▶ sleep until there is one ───┘
//
// A thread that sleeps has to be woken, by a processor that has to leave its own sleep first. One
// that asks finds the next request as soon as it is there, and uses its CPU whole meanwhile: so
// no other program should need that CPU, least of all the client.

#include "engines/engine.h"
#include "engines/loops/event_loop.h"
#include "net/epoll.h"

namespace serverlab {
namespace {

class SpinningEpoll {
 public:
  static constexpr int descriptor_limit = Epoll::descriptor_limit;

  explicit SpinningEpoll(Duration spin) : spin_(spin) {}

  void add(int fd, Interest interest) { epoll_.add(fd, interest); }
  void change(int fd, Interest interest) { epoll_.change(fd, interest); }
  void remove(int fd) { epoll_.remove(fd); }

  std::span<const Ready> wait(Duration limit) {
    const bool may_sleep = limit < Duration::zero() || limit > spin_;
    const Instant spin_until = now() + (may_sleep ? spin_ : limit);
    std::span<const Ready> ready;
    do {
      ready = epoll_.wait(Duration::zero());
    } while (ready.empty() && now() < spin_until);
    return ready.empty() && may_sleep ? epoll_.wait(limit) : ready;
  }

 private:
  Duration spin_;
  Epoll epoll_;
};
static_assert(Poller<SpinningEpoll>);

}  // namespace

void serve_epoll_spin(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  EventLoop<SpinningEpoll>(options, service, stop, SpinningEpoll(options.spin)).run();
}

}  // namespace serverlab
