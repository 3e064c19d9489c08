// epoll-handoff: one thread accepts and deals the connections out to N threads with a loop each.
//
//            ┌─ main thread ─┐          ┌───────┐      ┌─ thread 1 ──────────┐
//            │ wait, accept, │─────────▶│ inbox │─────▶│ adopt, wait, serve  │
//  clients ═▶│ choose a loop │          └───────┘      └─────────────────────┘
//            │               │          ┌───────┐      ┌─ thread 2 ──────────┐
//            │               │─────────▶│ inbox │─────▶│ adopt, wait, serve  │
//            └───────────────┘          └───────┘      └─────────────────────┘
//                    ▲   open connections of each          │   │
//                    └─────────────────────────────────────┴───┘
//
// Connections are dealt one each in turn, or to the loop that has the fewest open. A loop is woken
// only when it sleeps, and then once for all that has come. A connection stays with its loop.
//
// At a stop the main thread deals out who has connected by then, and a hang-up to each loop behind
// them: it ends the dealing, and the loop drains.

#include "engines/connections/accepting.h"
#include "engines/workers/crew.h"
#include "engines/engine.h"
#include "engines/workers/inbox.h"
#include "engines/loops/served_connections.h"
#include "net/epoll.h"

#include <algorithm>
#include <atomic>
#include <deque>

namespace serverlab {
namespace {

class Loop {
 public:
  Loop(const ServeOptions& options, const Service& service) :
      drain_limit_(options.drain_limit), served_(options, service, epoll_) {
    epoll_.add(inbox_.fd(), {.read = true});
  }

  /// The main thread's: a connection more, or none, which ends the dealing.
  void deal(OwnedFd socket) {
    if (socket) ++open_;
    inbox_.put(std::move(socket));
  }

  /// How many connections it has, those in its inbox included.
  int open() const { return open_; }

  /// The loop's own thread.
  void run() {
    while (!draining_ || (!served_.empty() && now() < drain_deadline_)) {
      epoll_.wait(ready_, inbox_.may_sleep() ? wait_limit() : Duration::zero());
      for (const Ready& event : ready_) {
        event.fd == inbox_.fd() ? inbox_.clear_wake() : served_.serve(event);
      }
      open_ -= served_.close_finished();
      inbox_.take(dealt_);
      for (OwnedFd& socket : dealt_) socket ? served_.adopt(std::move(socket)) : drain();
    }
  }

 private:
  void drain() {
    served_.end_receiving_all();
    draining_ = true;
    drain_deadline_ = now() + drain_limit_;
  }

  Duration wait_limit() const {
    return draining_ ? std::max(Duration::zero(), drain_deadline_ - now()) : wait_forever;
  }

  const Duration drain_limit_;
  Epoll epoll_;
  ServedConnections<Epoll> served_;
  Inbox<OwnedFd> inbox_;
  std::atomic<int> open_ = 0;
  std::vector<OwnedFd> dealt_;
  std::vector<Ready> ready_;
  bool draining_ = false;
  Instant drain_deadline_;
};

class Dealer {
 public:
  Dealer(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      deal_(options.deal), stop_(stop), crew_(stop) {
    for (int i = 0; i < options.threads; ++i) loops_.emplace_back(options, service);
  }
  Dealer(const Dealer&) = delete;
  Dealer& operator=(const Dealer&) = delete;
  ~Dealer() { end_dealing(); }

  void run(const ServeOptions& options) {
    for (Loop& loop : loops_) crew_.start([&loop] { loop.run(); });
    accept_until_stopped(options);
    end_dealing();
    crew_.join();
  }

 private:
  void accept_until_stopped(const ServeOptions& options) {
    Epoll epoll;
    epoll.add(stop_.fd(), {.read = true});
    Acceptor<Epoll> acceptor(options, epoll);
    const auto deal = [this](OwnedFd socket) { choose().deal(std::move(socket)); };
    std::vector<Ready> ready;
    const auto is_stop = [this](const Ready& event) { return event.fd == stop_.fd(); };
    do {
      epoll.wait(ready, acceptor.wait_limit());
      if (std::ranges::any_of(ready, std::not_fn(is_stop))) acceptor.accept(deal);
      acceptor.resume_if_rested();
    } while (std::ranges::none_of(ready, is_stop));
    acceptor.close(deal);
  }

  Loop& choose() {
    if (deal_ == Deal::least) return *std::ranges::min_element(loops_, {}, &Loop::open);
    return loops_[next_++ % loops_.size()];
  }

  void end_dealing() {
    if (!std::exchange(dealing_, false)) return;
    for (Loop& loop : loops_) loop.deal({});
  }

  const Deal deal_;
  const StopSignal& stop_;
  std::deque<Loop> loops_;
  std::size_t next_ = 0;
  bool dealing_ = true;
  Crew crew_;  // last, so that its threads have ended before the loops are gone
};

}  // namespace

void serve_epoll_handoff(const ServeOptions& options, const Service& service,
                         const StopSignal& stop) {
  Dealer(options, service, stop).run(options);
}

}  // namespace serverlab
