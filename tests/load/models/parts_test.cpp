// Each model, in a world without sockets in which every connect and every reply takes its time: the
// parts of a load together issue what the whole does. A request is known by its connection, by how
// many that has made before, and by when it was intended.

#include "load/models/catalog.h"
#include "load/models/model.h"
#include "tests/load/peers.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <queue>
#include <tuple>

namespace serverlab {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr Duration connect_time = microseconds(70);
constexpr Duration reply_time = microseconds(250);
constexpr Duration load_window = milliseconds(200);
constexpr Instant load_begin = Instant(std::chrono::hours(1));

using Issued = std::tuple<std::uint32_t, std::uint32_t, Instant>;

/// A model, its peers, and the events to come.
class World final : Issuer {
 public:
  World(const ModelOptions& options, Share share) :
      model_(make_model(options, share, load_window)) {
    for (std::uint32_t i = 0; i < share.count(options.connections); ++i) {
      peers_.emplace_back(share.number(i), 0, OneByteClient(), options.depth);
      if (options.keeps_open()) peers_.back().state = Peer::State::open;
    }
    made_.resize(options.connections);
  }

  /// What is issued until the window ends.
  std::vector<Issued> issued(Duration warmup) {
    model_->begin(load_begin, peers_, *this);
    if (warmup > Duration::zero()) run_until(load_begin + warmup);
    model_->begin_window(load_begin + warmup);
    run_until(load_begin + warmup + load_window);
    return issued_;
  }

  std::vector<Instant> intended() const { return intended_; }

 private:
  struct Event {
    Instant at;
    std::uint64_t order;  // of events at one instant
    Peer* peer;
    bool operator<(const Event& other) const {
      return std::tie(at, order) > std::tie(other.at, other.order);
    }
  };

  void run_until(Instant end) {
    for (;;) {
      const Instant due = model_->issue_due(now_, *this);
      const Instant next = events_.empty() ? due : std::min(due, events_.top().at);
      if (next >= end) break;
      now_ = std::max(now_, next);
      while (!events_.empty() && events_.top().at <= now_) happen();
    }
    now_ = end;
  }

  void happen() {
    Peer& peer = *events_.top().peer;
    events_.pop();
    if (peer.state == Peer::State::connecting) {
      peer.state = Peer::State::open;
      model_->opened(peer, now_, *this);
    } else {
      peer.in_flight.pop();
      model_->replied(peer, 1, now_, *this);
    }
  }

  void intend(Instant intended) override { intended_.push_back(intended); }
  void issue(Peer& peer, Instant intended, Instant due) override {
    issued_.emplace_back(peer.number, made_[peer.number]++, intended);
    peer.in_flight.push({intended, due, now_});
    expect(peer, reply_time);
  }
  void flush(Peer&) override {}
  void drop(Instant) override { FAIL() << "the world keeps up"; }
  void open(Peer& peer) override {
    peer.state = Peer::State::connecting;
    expect(peer, connect_time);
  }
  void close(Peer& peer, Instant) override {
    peer.state = Peer::State::closed;
    ++peer.generation;
  }

  void expect(Peer& peer, Duration after) { events_.push({now_ + after, order_++, &peer}); }

  std::vector<Peer> peers_;
  std::unique_ptr<Model> model_;
  Instant now_ = load_begin;
  std::uint64_t order_ = 0;
  std::priority_queue<Event> events_;
  std::vector<std::uint32_t> made_;  // by number: requests so far
  std::vector<Issued> issued_;
  std::vector<Instant> intended_;
};

/// What the workers of a load issue together, in order. Without a warm-up: after one a schedule
/// begins again, with the connection whose turn it is then.
std::vector<Issued> issued(const ModelOptions& options, std::uint32_t workers) {
  std::vector<Issued> together;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    const std::vector<Issued> own = World(options, {worker, workers}).issued(Duration::zero());
    together.insert(together.end(), own.begin(), own.end());
  }
  std::ranges::sort(together);
  return together;
}

std::vector<Instant> intended(const ModelOptions& options, std::uint32_t workers) {
  std::vector<Instant> together;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    World world(options, {worker, workers});
    world.issued(milliseconds(100));
    const std::vector<Instant> own = world.intended();
    together.insert(together.end(), own.begin(), own.end());
  }
  std::ranges::sort(together);
  return together;
}

ModelOptions usual_options(const LoadModel& model) {
  ModelOptions options;
  options.name = model.model;
  options.connections = 23;
  options.requests = 3;
  options.depth = 1;
  options.seed = 7;
  options.backlog_max = 100;
  options.expected_response = reply_time;
  if (model.has_rate) options.rate = {.to_per_s = 5000};
  if (model.name == "ramp") {
    options.connection_ramp = {.from = 2, .steps = 0};
    options.rate.from_per_s = model.has_rate ? 500 : 0;
    options.rate.over = model.has_rate ? load_window : Duration::zero();
  }
  return options;
}

class Parts : public testing::TestWithParam<LoadModel> {};

TEST_P(Parts, IntendWhatTheWholeIntends) {
  const ModelOptions options = usual_options(GetParam());
  const std::vector<Instant> whole = intended(options, 1);
  EXPECT_GT(whole.size(), 500U);
  for (const std::uint32_t workers : {2U, 3U, 8U, 23U})
    EXPECT_EQ(intended(options, workers), whole);
}

TEST_P(Parts, IssueWhatTheWholeIssuesAndOnTheSameConnections) {
  ModelOptions options = usual_options(GetParam());
  if (options.name == ModelName::sessions) options.connections = 300;  // one is always free
  for (const Arrivals arrivals : {Arrivals::poisson, Arrivals::constant}) {
    options.arrivals = arrivals;
    const std::vector<Issued> whole = issued(options, 1);
    EXPECT_GT(whole.size(), 500U);
    for (const std::uint32_t workers : {2U, 3U, 8U, 23U})
      EXPECT_EQ(issued(options, workers), whole) << workers;
  }
}

TEST_P(Parts, ThinkAsTheWholeThinks) {
  ModelOptions options = usual_options(GetParam());
  const auto uses = [](std::string_view setting) {
    return std::ranges::find(GetParam().settings, setting) != GetParam().settings.end();
  };
  if (!uses("think-varies")) GTEST_SKIP() << "the model does not think";
  if (options.name == ModelName::sessions) GTEST_SKIP() << "who thinks depends on who was free";
  options.think = milliseconds(4);
  options.think_varies = true;
  const std::vector<Issued> whole = issued(options, 1);
  EXPECT_GT(whole.size(), 500U);
  for (const std::uint32_t workers : {2U, 3U, 8U, 23U})
    EXPECT_EQ(issued(options, workers), whole) << workers;
}

INSTANTIATE_TEST_SUITE_P(OfEachModel, Parts, testing::ValuesIn(load_models()),
                         [](const auto& named) {
                           std::string name(named.param.name);
                           std::ranges::replace(name, '-', '_');
                           return name + (named.param.has_rate ? "WithRate" : "WithoutRate");
                         });

TEST(Parts, HaveAsManySessionsOfEachClientAsTheWhole) {
  ModelOptions options;
  options.name = ModelName::sessions;
  options.connections = 10;
  options.sessions = 4;
  options.requests = 2;
  options.rate = {.to_per_s = 1000};
  for (const std::uint32_t workers : {1U, 3U, 4U}) {
    EXPECT_EQ(issued(options, workers).size(), 10U * 4 * 2) << workers;
  }
}

}  // namespace
}  // namespace serverlab
