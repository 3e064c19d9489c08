// closed: each connection keeps `depth` requests in flight. A reply intends the next request
// of its connection: after a time to think if there is one, and not before the throttle allows
// it. As a ramp, more and more connections take part as the window goes on. With a start of its own
// each connection begins when it is connected, issues requests for the time of the window, and
// closes.

#include "load/models/model.h"
#include "load/models/own_times.h"
#include "load/models/think_timers.h"
#include "load/models/throttle.h"

#include <algorithm>
#include <optional>

namespace serverlab {
namespace {

class ClosedModel final : public Model {
 public:
  ClosedModel(const ModelOptions& options, Share share, Duration window) :
      options_(options), timers_(options), share_(share), window_(window) {
    if (options.throttle_per_s > 0) throttle_rate_.emplace(options.throttle_per_s, options.burst);
  }

  void begin(Instant begin, std::span<Peer> peers, Issuer& issuer) override {
    peers_ = peers;
    begin_ = begin;
    taking_part_ = 0;
    throttles_.assign(throttle_rate_ ? peers.size() : 0, Throttle());
    if (options_.start == Start::own) own_times_.emplace(peers, window_);
    window_begin_ = Instant::max();
    ended_ = false;
    timers_.clear();
    admit(begin, issuer);
  }

  void begin_window(Instant begin) override { window_begin_ = begin; }
  void end(Instant) override { ended_ = true; }

  Instant issue_due(Instant now, Issuer& issuer) override {
    if (ended_) return Instant::max();
    const Instant next_admission = admit(now, issuer);
    while (Peer* peer = own_times_ ? own_times_->take_over(now) : nullptr) finish(*peer, issuer);
    Instant due;
    while (Peer* peer = timers_.take_due(now, due)) {
      if (is_over(*peer, due)) continue;
      issuer.intend(due);
      issuer.issue(*peer, due, due);
      issuer.flush(*peer);
    }
    const Instant next = std::min(next_admission, timers_.next_due());
    return own_times_ ? std::min(next, own_times_->next_over()) : next;
  }

  std::uint32_t unfinished() const override { return own_times_ ? own_times_->unfinished() : 0; }

  void replied(Peer& peer, std::uint32_t replies, Instant now, Issuer& issuer) override {
    if (ended_) return;
    if (is_over(peer, now)) return finish(peer, issuer);
    if (!timers_.enabled()) return fill(peer, replies, now, issuer);
    for (std::uint32_t i = 0; i < replies; ++i) plan(peer, now + timers_.draw(peer));
  }

  void opened(Peer& peer, Instant now, Issuer& issuer) override {
    if (ended_ || place_of(peer) >= taking_part_) return;
    if (own_times_) own_times_->begin(peer, now);
    if (is_over(peer, now)) return finish(peer, issuer);
    fill(peer, options_.depth, now, issuer);
  }

 private:
  bool is_over(const Peer& peer, Instant now) const {
    return own_times_ && own_times_->is_over(peer, now);
  }

  // Its time is over: it closes once it has all replies.
  void finish(Peer& peer, Issuer& issuer) {
    if (!own_times_ || peer.state != Peer::State::open || !peer.in_flight.empty()) return;
    issuer.close(peer, own_times_->began(peer));
    own_times_->finish();
  }

  // Lets those connections issue requests that take part by now.
  // @return when the next one will
  Instant admit(Instant now, Issuer& issuer) {
    for (; taking_part_ < peers_.size(); ++taking_part_) {
      const Instant when = takes_part_at(taking_part_);
      if (when > now) return when;
      Peer& peer = peers_[taking_part_];
      if (peer.state == Peer::State::open) fill(peer, options_.depth, when, issuer);
    }
    return Instant::max();
  }

  // From the beginning; of a ramp, when it has come to the connection's number, counted over all
  // workers. Instant::max(): the ramp has not begun.
  Instant takes_part_at(std::size_t place) const {
    const double number = share_.number(static_cast<std::uint32_t>(place)) + 1.0;
    const double from = options_.connection_ramp.from;
    if (options_.name != ModelName::ramp || number <= from) return begin_;
    if (window_begin_ == Instant::max()) return Instant::max();
    double progress = (number - from) / (options_.connections - from);
    const int steps = options_.connection_ramp.steps;
    if (steps > 1) progress = std::ceil(progress * (steps - 1)) / steps;
    return window_begin_ + from_seconds(progress * seconds(window_));
  }

  void fill(Peer& peer, std::uint32_t requests, Instant intended, Issuer& issuer) {
    if (throttle_rate_) {
      for (std::uint32_t i = 0; i < requests; ++i) plan(peer, intended);
      return;
    }
    for (std::uint32_t i = 0; i < requests; ++i) {
      issuer.intend(intended);
      issuer.issue(peer, intended, intended);
    }
    issuer.flush(peer);
  }

  // `issue_due` issues the request once it is due.
  void plan(Peer& peer, Instant wished) {
    timers_.add(
        peer, throttle_rate_ ? throttles_[place_of(peer)].admit(*throttle_rate_, wished) : wished);
  }

  std::size_t place_of(const Peer& peer) const {
    return static_cast<std::size_t>(&peer - peers_.data());
  }

  const ModelOptions& options_;
  ThinkTimers timers_;
  std::optional<ThrottleRate> throttle_rate_;
  std::vector<Throttle> throttles_;    // by place among the peers
  std::optional<OwnTimes> own_times_;  // of connections that start on their own
  Share share_;
  Duration window_;
  std::span<Peer> peers_;
  Instant begin_;
  std::size_t taking_part_ = 0;  // the first so many peers
  Instant window_begin_;
  bool ended_ = true;
};

}  // namespace

std::unique_ptr<Model> make_closed_model(const ModelOptions& options, Share share,
                                         Duration window) {
  return std::make_unique<ClosedModel>(options, share, window);
}

}  // namespace serverlab
