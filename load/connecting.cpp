#include "load/connecting.h"

namespace serverlab {

void Connecting::start_all(std::span<Peer> peers, Instant begin, double rate_per_s) {
  all_ = unopened_ = peers;
  all_begin_ = begin;
  all_rate_per_s_ = rate_per_s;
}

Peer* Connecting::take_due(Instant now) {
  if (connecting_ >= together_max) return nullptr;
  const auto begun = static_cast<double>(all_.size() - unopened_.size());
  const double may_begin =
      all_rate_per_s_ > 0 ? seconds(now - all_begin_) * all_rate_per_s_ : begun;
  if (!unopened_.empty() && begun <= may_begin) {
    Peer& peer = unopened_.front();
    unopened_ = unopened_.subspan(1);
    return &peer;
  }
  if (waiting_.empty() || waiting_.front().due > now) return nullptr;
  Peer& peer = *waiting_.front().peer;
  waiting_.pop_front();
  return &peer;
}

int Connecting::connect(Peer& peer, Instant now) {
  peer.connecting_since = now;
  const auto& sources = options_.sources;
  const std::uint32_t turn =
      peer.number / options_.workers_of_all();  // as workers are dealt theirs
  const Address* source = sources.empty() ? nullptr : &sources[turn % sources.size()];
  const int error =
      transport_.connect(peer, {options_.targets[peer.target], source, options_.socket});
  if (error != 0) return error;
  ++connecting_;
  drop_finished();
  attempts_.push_back({&peer, peer.generation});
  return 0;
}

void Connecting::opened(Peer& peer, Instant now, Tally& tally) {
  --connecting_;
  ++open_;
  publish_open();
  report_.accepted.store(true, std::memory_order_relaxed);
  tally.connect.record((now - peer.connecting_since).count());
  if (!peer.was_lost()) return;
  ++tally.reopened;
  tally.outage_s += seconds(now - peer.lost_at);
  peer.lost_at = Instant::max();
}

void Connecting::close(Peer& peer) {
  if (peer.state == Peer::State::connecting) --connecting_;
  if (peer.state == Peer::State::open) {
    --open_;
    publish_open();
  }
  transport_.close(peer);
  peer.unchecked.release();
}

Peer* Connecting::take_overdue(Instant now) {
  drop_finished();
  if (attempts_.empty()) return nullptr;
  Peer& oldest = *attempts_.front().peer;
  if (now - oldest.connecting_since <= options_.connect_timeout) return nullptr;
  attempts_.pop_front();
  return &oldest;
}

void Connecting::drop_finished() {
  while (!attempts_.empty() && is_over(attempts_.front())) attempts_.pop_front();
}

}  // namespace serverlab
