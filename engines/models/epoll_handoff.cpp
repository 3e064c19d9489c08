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
// At a stop the main thread deals out the connections that wait in the accept queue and tells each
// loop that no more will come; then the loop drains.

#include "engines/connections/accepting.h"
#include "engines/engine.h"
#include "engines/loops/drain.h"
#include "engines/loops/served_connections.h"
#include "engines/workers/crew.h"
#include "engines/workers/inbox.h"
#include "net/epoll.h"

#include <algorithm>
#include <atomic>
#include <deque>

namespace serverlab {
namespace {

class Loop {
 public:
  Loop(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      options_(options),
      drain_(stop, options.drain_limit),
      served_(options, service, stop, epoll_) {
    epoll_.add(inbox_.fd(), {.read = true});
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    // What the drain limit has left there.
    for (const OwnedFd& socket : inbox_.left()) count_if_unanswered(socket.get());
  }

  /// The main thread's: one connection more.
  void deal(OwnedFd socket) {
    inbox_.put(std::move(socket));
    ++open_;
  }

  /// The main thread's: no connection follows.
  void end_dealing() {
    dealt_all_ = true;
    inbox_.wake();
  }

  /// Any thread: how many connections it has, those in its inbox included.
  int open() const { return open_; }

  /// The loop's own thread.
  void run() {
    while (drain_.goes_on(served_.empty())) {
      const Duration limit =
          inbox_.may_sleep() ? drain_.wait_limit(wait_forever) : Duration::zero();
      for (const Ready& event : epoll_.wait(limit)) {
        if (drain_.is_cut_off()) break;
        event.fd == inbox_.fd() ? inbox_.clear_wake() : served_.serve(event);
      }
      open_ -= served_.close_finished();
      if (dealt_all_) drain_.ask();  // and the last ones are there to be taken
      for (OwnedFd& socket : inbox_.take()) adopt(std::move(socket));
      if (drain_.begins()) served_.end_receiving_all();
    }
  }

 private:
  void adopt(OwnedFd socket) {
    if (!guarded(options_, [&] { served_.adopt(std::move(socket)); })) --open_;
  }

  const ServeOptions& options_;
  Drain drain_;
  Epoll epoll_;
  ServedConnections<Epoll> served_;
  Inbox<OwnedFd> inbox_;
  std::atomic<int> open_ = 0;
  std::atomic<bool> dealt_all_ = false;
};

class Dealer {
 public:
  Dealer(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      deal_(options.deal), stop_(stop), crew_(stop) {
    for (int i = 0; i < options.threads; ++i) loops_.emplace_back(options, service, stop);
  }
  Dealer(const Dealer&) = delete;
  Dealer& operator=(const Dealer&) = delete;
  ~Dealer() { end_dealing(); }

  void run(const ServeOptions& options) {
    crew_.start(options.threads, [loop = loops_.begin()]() mutable {
      return [&of_this_thread = *loop++] { of_this_thread.run(); };
    });
    accept_until_stopped(options);
    end_dealing();
    crew_.join();
  }

 private:
  void accept_until_stopped(const ServeOptions& options) {
    Epoll epoll;
    epoll.add(stop_.fd(), {.read = true});
    Acceptor<Epoll> acceptor(options, epoll);
    acceptor.announce();
    const auto deal = [this](OwnedFd socket) { choose().deal(std::move(socket)); };
    std::span<const Ready> ready;
    const auto is_stop = [this](const Ready& event) { return event.fd == stop_.fd(); };
    do {
      ready = epoll.wait(acceptor.wait_limit());
      if (std::ranges::any_of(ready, std::not_fn(is_stop)))
        acceptor.accept(deal, [this] { return open(); });
      acceptor.resume_if_rested();
    } while (std::ranges::none_of(ready, is_stop));
    acceptor.close(deal);
  }

  int open() const {
    int all = 0;
    for (const Loop& loop : loops_) all += loop.open();
    return all;
  }

  Loop& choose() {
    if (deal_ == Deal::least) return *std::ranges::min_element(loops_, {}, &Loop::open);
    return loops_[next_++ % loops_.size()];
  }

  void end_dealing() {
    if (!std::exchange(dealing_, false)) return;
    for (Loop& loop : loops_) loop.end_dealing();
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
