// sessions: sessions arrive by a schedule; each takes a free connection, connects, makes its
// requests with time to think between them, and closes. Its first request is intended when the
// session arrives, each further one when its predecessor was intended, plus the response time that
// the schedule expects, plus the time to think. So a slow reply delays no intended instant, and
// counts as latency.
//
// churn: the same as a closed loop. Each connection connects, makes its requests, closes and begins
// again; a request is intended when its predecessor is answered.
//
// Either way a client, which is a connection's place, may have a number of sessions to do.

#include "load/models/arrival_queue.h"
#include "load/models/model.h"
#include "load/models/think_timers.h"

#include <algorithm>
#include <deque>
#include <vector>

namespace serverlab {
namespace {

constexpr Duration rest_after_loss = std::chrono::milliseconds(100);

class SessionModel final : public Model {
 public:
  SessionModel(const ModelOptions& options, Share share) :
      options_(options), share_(share), timers_(options) {}

  bool keeps_open() const override { return false; }

  void begin(Instant begin, std::span<Peer> peers, Issuer& issuer) override {
    peers_ = peers;
    sessions_.assign(peers.size(), {});
    left_.assign(bounded() ? peers.size() : 0, options_.sessions);
    unfinished_ = bounded() ? static_cast<std::uint32_t>(peers.size()) : 0;
    free_.clear();
    timers_.clear();
    ended_ = false;
    for (Peer& peer : peers) {
      if (peer.state != Peer::State::closed) issuer.close(peer, begin);
      free_.push_back({begin, &peer});
    }
    begin_window(begin);
  }

  void begin_window(Instant begin) override {
    if (churns()) return;
    const std::uint64_t arrivals_max =
        bounded() ? std::uint64_t{options_.sessions} * peers_.size() : ArrivalQueue::any_number;
    arrivals_.start({options_.arrivals, options_.rate, options_.seed, share_, options_.connections},
                    begin, arrivals_max);
  }

  void end(Instant end) override {
    arrivals_.end(end);
    ended_ = true;
  }

  Instant issue_due(Instant now, Issuer& issuer) override {
    if (churns()) {
      while (!ended_ && has_free(now)) start(take_free(), now, issuer);
    } else {
      arrivals_.enqueue_due(now, issuer);
      while (!arrivals_.empty() && has_free(now)) {
        const Instant arrival = arrivals_.take_oldest();
        start(take_free(), arrival, issuer);
      }
    }
    Instant due;
    while (Peer* peer = ended_ ? nullptr : timers_.take_due(now, due)) {
      issue_next(*peer, due, due, issuer);
    }
    return next_due();
  }

  bool is_waiting() const override {
    return !churns() && (!arrivals_.empty() || arrivals_.is_behind());
  }

  std::uint32_t unfinished() const override { return unfinished_; }

  void give_up(Issuer& issuer) override {
    if (!churns()) arrivals_.give_up(issuer);
  }

  void replied(Peer& peer, std::uint32_t replies, Instant now, Issuer& issuer) override {
    Session& session = session_of(peer);
    session.unanswered -= replies;
    if (session.unanswered == 0 || (ended_ && peer.in_flight.empty())) {
      issuer.close(peer, session.began);
      end_session(peer, now);
      issue_due(now, issuer);
      return;
    }
    for (std::uint32_t i = 0; i < replies && session.unissued > 0 && !ended_; ++i) {
      const Instant predecessor = churns() ? now : session.intended + options_.expected_response;
      const Instant due = timers_.enabled() ? predecessor + timers_.draw(peer) : predecessor;
      if (due <= now) {
        issue_next(peer, due, now, issuer);
      } else {
        timers_.add(peer, due);
      }
    }
  }

  // The first request, intended when the session began, and as many more as the depth allows.
  void opened(Peer& peer, Instant now, Issuer& issuer) override {
    Session& session = session_of(peer);
    const std::uint32_t first = std::min(options_.depth, session.unissued);
    for (std::uint32_t i = 0; i < first; ++i) {
      if (i > 0) issuer.intend(session.began);
      issuer.issue(peer, session.began, now);
    }
    session.unissued -= first;
    issuer.flush(peer);
  }

  void lost(Peer& peer, Instant now, Issuer&) override { end_session(peer, now + rest_after_loss); }

 private:
  struct Session {
    Instant began;
    Instant intended;  // the last request's
    std::uint32_t unissued = 0;
    std::uint32_t unanswered = 0;
  };
  struct Free {
    Instant from;
    Peer* peer;
  };

  bool churns() const { return options_.name == ModelName::churn; }

  bool bounded() const { return options_.sessions > 0; }

  std::size_t place_of(const Peer& peer) const {
    return static_cast<std::size_t>(&peer - peers_.data());
  }

  Session& session_of(const Peer& peer) { return sessions_[place_of(peer)]; }

  bool has_free(Instant now) const { return !free_.empty() && free_.front().from <= now; }

  Peer& take_free() {
    Peer& peer = *free_.front().peer;
    free_.pop_front();
    return peer;
  }

  // A session that was lost has been one, too.
  void end_session(Peer& peer, Instant free_from) {
    if (bounded() && --left_[place_of(peer)] == 0) {
      --unfinished_;
    } else {
      free_.push_back({free_from, &peer});
    }
  }

  void start(Peer& peer, Instant began, Issuer& issuer) {
    session_of(peer) = {began, began, options_.requests, options_.requests};
    if (churns()) issuer.intend(began);
    issuer.open(peer);
  }

  void issue_next(Peer& peer, Instant intended, Instant due, Issuer& issuer) {
    Session& session = session_of(peer);
    session.intended = intended;
    --session.unissued;
    issuer.intend(intended);
    issuer.issue(peer, intended, due);
    issuer.flush(peer);
  }

  Instant next_due() const {
    Instant due = ended_ ? Instant::max() : timers_.next_due();
    const bool waits_for_free = churns() ? !ended_ : !arrivals_.empty();
    if (waits_for_free && !free_.empty()) due = std::min(due, free_.front().from);
    return churns() ? due : std::min(due, arrivals_.next_due());
  }

  const ModelOptions& options_;
  Share share_;
  ThinkTimers timers_;
  std::span<Peer> peers_;
  std::vector<Session> sessions_;    // by place among the peers
  std::vector<std::uint32_t> left_;  // the same, if bounded: sessions that have not ended
  std::uint32_t unfinished_ = 0;     // peers that have some left
  std::deque<Free> free_;            // closed peers, the earliest to be free first
  ArrivalQueue arrivals_;            // those that wait: no connection has been free for them
  bool ended_ = true;
};

}  // namespace

std::unique_ptr<Model> make_session_model(const ModelOptions& options, Share share) {
  return std::make_unique<SessionModel>(options, share);
}

}  // namespace serverlab
