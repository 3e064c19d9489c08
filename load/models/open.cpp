// open, open-bounded, hold, and ramp of a rate: requests arrive by a schedule, whatever the server
// does. Each is taken by the connection that has had room the longest. If none has room, it waits,
// and its latency counts from its arrival.

#include "load/models/arrival_queue.h"
#include "load/models/model.h"

#include <algorithm>
#include <deque>
#include <optional>

namespace serverlab {
namespace {

class OpenModel final : public Model {
 public:
  OpenModel(const ModelOptions& options, Share share, Duration window) :
      options_(options),
      share_(share),
      window_(window),
      waiting_max_(options.name == ModelName::open_bounded ? share.count(options.backlog_max)
                                                           : SIZE_MAX) {}

  void begin(Instant begin, std::span<Peer> peers, Issuer&) override {
    rooms_.clear();
    for (Peer& peer : peers) {
      if (peer.state == Peer::State::open) add_rooms(peer, options_.depth, begin);
    }
    arrivals_.start(schedule(Duration::zero()), begin);
  }

  void begin_window(Instant begin) override { arrivals_.start(schedule(window_), begin); }

  void end(Instant end) override { arrivals_.end(end); }

  Instant issue_due(Instant now, Issuer& issuer) override {
    arrivals_.enqueue_due(now, issuer);
    issue_waiting(issuer);
    while (arrivals_.waiting() > waiting_max_) issuer.drop(arrivals_.take_newest());
    return arrivals_.next_due();
  }

  bool is_waiting() const override { return !arrivals_.empty() || arrivals_.is_behind(); }

  void give_up(Issuer& issuer) override { arrivals_.give_up(issuer); }

  void replied(Peer& peer, std::uint32_t replies, Instant now, Issuer& issuer) override {
    add_rooms(peer, replies, now);
    issue_waiting(issuer);
  }

  void opened(Peer& peer, Instant now, Issuer& issuer) override {
    replied(peer, options_.depth, now, issuer);
  }

 private:
  // Room for one more request on a connection; void when that connection has been lost since.
  struct Room {
    Peer* peer;
    std::uint32_t generation;
    Instant since;
  };

  Schedule schedule(Duration ramp) const {
    RateProfile profile = options_.rate;
    const bool before_ramp = options_.name == ModelName::ramp && ramp == Duration::zero();
    if (before_ramp) profile.to_per_s = profile.from_per_s;
    profile.over = options_.name == ModelName::ramp ? ramp : Duration::zero();
    return {options_.arrivals, profile, options_.seed, share_, options_.connections};
  }

  void issue_waiting(Issuer& issuer) {
    while (!arrivals_.empty()) {
      const std::optional<Room> room = take_room();
      if (!room) return;
      const Instant intended = arrivals_.take_oldest();
      issuer.issue(*room->peer, intended, std::max(intended, room->since));
      issuer.flush(*room->peer);
    }
  }

  void add_rooms(Peer& peer, std::uint32_t rooms, Instant since) {
    for (std::uint32_t i = 0; i < rooms; ++i) rooms_.push_back({&peer, peer.generation, since});
  }

  std::optional<Room> take_room() {
    while (!rooms_.empty()) {
      const Room room = rooms_.front();
      rooms_.pop_front();
      if (room.generation == room.peer->generation) return room;
    }
    return std::nullopt;
  }

  const ModelOptions& options_;
  Share share_;
  Duration window_;
  std::size_t waiting_max_;
  ArrivalQueue arrivals_;   // those that wait: no connection has had room for them
  std::deque<Room> rooms_;  // the longest free first
};

}  // namespace

std::unique_ptr<Model> make_open_model(const ModelOptions& options, Share share, Duration window) {
  return std::make_unique<OpenModel>(options, share, window);
}

}  // namespace serverlab
