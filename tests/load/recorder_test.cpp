// The accounts of a worker, on a clock that the test holds: which request counts where, and that
// nothing is lost or counted twice on its way to the conductor.

#include "load/recorder.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace serverlab {
namespace {

Duration ms(std::int64_t count) { return std::chrono::milliseconds(count); }

Instant at(std::int64_t count_ms) { return Instant(std::chrono::hours(1)) + ms(count_ms); }

// Warm-up until 100 ms, window until 500 ms in intervals of 100 ms.
constexpr auto in_hundreds = [] {
  return SegmentTimes{.segment = 0,
                      .begin = at(0),
                      .window_begin = at(100),
                      .window_end = at(500),
                      .warmup_interval = ms(100),
                      .interval = ms(100)};
};

/// A recorder and the conductor's side of the hand-over: what was handed over, by part.
class Accounts {
 public:
  explicit Accounts(const SegmentTimes& times = in_hundreds()) {
    recorder.begin(times);
    collect();
  }

  /// Tells the recorder of an instant, and collects what it hands over: at most one tally a step.
  void advance_to(Instant now) {
    recorder.advance_to(now);
    collect();
  }

  void end(Instant now) {
    advance_to(now);
    recorder.end(now);
    collect();
  }

  /// A request from the intention to the reply, each at its instant.
  Request reply(std::int64_t intended_ms, std::int64_t sent_ms, std::int64_t received_ms) {
    advance_to(at(intended_ms));
    recorder.intended(at(intended_ms));
    const Request request = {at(intended_ms), at(intended_ms), at(sent_ms)};
    advance_to(at(sent_ms));
    recorder.sent(request);
    advance_to(at(received_ms));
    recorder.answered(request, at(received_ms));
    return request;
  }

  void collect() {
    if (report_->handed_over == report_->collected) return;
    HandedOver& out = report_->outbox[report_->collected % 2];
    Tally& into = out.of == HandedOver::Of::before   ? *before
                  : out.of == HandedOver::Of::warmup ? *warmup
                                                     : *window;
    into.merge(out.tally);
    if (out.of == HandedOver::Of::window) intervals.push_back({out.from, out.to});
    out.tally.clear();
    ++report_->collected;
  }

  Instant began() const { return report_->began; }

  std::unique_ptr<Tally> before = std::make_unique<Tally>();
  std::unique_ptr<Tally> warmup = std::make_unique<Tally>();
  std::unique_ptr<Tally> window = std::make_unique<Tally>();
  std::vector<std::pair<Instant, Instant>> intervals;  // of the window, as they were handed over

 private:
  std::unique_ptr<WorkerReport> report_ = std::make_unique<WorkerReport>();

 public:
  Recorder recorder{*report_};
};

TEST(Recorder, CountsARequestOfTheWindow) {
  Accounts accounts;
  accounts.reply(150, 160, 190);
  accounts.end(at(500));
  EXPECT_EQ(accounts.window->intended, 1U);
  EXPECT_EQ(accounts.window->sent, 1U);
  EXPECT_EQ(accounts.window->sent_in_time, 1U);
  EXPECT_EQ(accounts.window->completed, 1U);
  EXPECT_EQ(accounts.window->received, 1U);
  EXPECT_EQ(accounts.window->answered, 1U);
  EXPECT_EQ(accounts.window->latency.max_ns(), ms(40).count());
  EXPECT_EQ(accounts.window->service_time.max_ns(), ms(30).count());
  EXPECT_EQ(accounts.window->send_lag.max_ns(), ms(10).count());
  EXPECT_EQ(accounts.warmup->intended, 0U);
}

TEST(Recorder, SaysWhenTheLoadBeganByItsFirstRequest) {
  Accounts accounts;
  accounts.reply(150, 160, 190);  // 150 ms after the beginning by the schedule, and 10 ms late
  accounts.reply(200, 290, 300);
  EXPECT_EQ(accounts.began(), at(10));
}

TEST(Recorder, CountsTheSendLagFromWhenTheConnectionHadRoom) {
  Accounts accounts;
  accounts.advance_to(at(170));
  accounts.recorder.sent({.intended = at(150), .due = at(165), .sent = at(170)});
  accounts.end(at(500));
  EXPECT_EQ(accounts.window->send_lag.max_ns(), ms(5).count());
}

TEST(Recorder, EndsTheWindowByItselfAtASendThatComesAfterIt) {
  Accounts accounts;
  accounts.advance_to(at(450));
  accounts.recorder.intended(at(450));
  accounts.recorder.sent({.intended = at(450), .due = at(450), .sent = at(510)});
  accounts.end(at(600));
  EXPECT_EQ(accounts.window->sent, 1U);
  EXPECT_EQ(accounts.window->sent_in_time, 0U);
}

TEST(Recorder, HandsNothingOverAtTheBeginningOfASegmentIfNothingWas) {
  WorkerReport report;
  Recorder recorder(report);
  recorder.begin(in_hundreds());
  EXPECT_EQ(report.handed_over, 0U);
}

TEST(Recorder, DoesNotWaitForAConductorThatCollectsNoMore) {
  WorkerReport report;
  Recorder recorder(report);
  recorder.begin(in_hundreds());
  recorder.advance_to(at(100));
  report.abandoned = true;
  recorder.end(at(500));
  EXPECT_EQ(report.handed_over, 1U);
}

TEST(Recorder, CountsWhatWasIntendedInTheWindowAndHadAReplyInTheDrain) {
  Accounts accounts;
  accounts.reply(490, 490, 700);
  accounts.end(at(800));
  EXPECT_EQ(accounts.window->completed, 1U);
  EXPECT_EQ(accounts.window->latency.max_ns(), ms(210).count());
  EXPECT_EQ(accounts.window->received, 0U) << "rates are of the window's time";
  EXPECT_EQ(accounts.window->answered, 1U);
}

TEST(Recorder, DoesNotCountInTheWindowWhatWasIntendedInTheWarmUp) {
  Accounts accounts;
  accounts.reply(90, 90, 150);
  accounts.end(at(500));
  EXPECT_EQ(accounts.warmup->intended, 1U);
  EXPECT_EQ(accounts.warmup->sent, 1U);
  EXPECT_EQ(accounts.window->intended, 0U);
  EXPECT_EQ(accounts.window->completed, 0U);
  EXPECT_EQ(accounts.window->latency.count(), 0U);
  EXPECT_EQ(accounts.window->received, 1U) << "but its reply came in during the window";
}

TEST(Recorder, CountsTheWindowsFirstInstantAndNotItsLast) {
  Accounts accounts;
  accounts.reply(100, 100, 110);
  accounts.reply(500, 500, 510);
  accounts.end(at(600));
  EXPECT_EQ(accounts.window->intended, 1U);
  EXPECT_EQ(accounts.window->completed, 1U);
}

TEST(Recorder, CountsWhatWasSentAfterTheWindowAsSentButNotInTime) {
  Accounts accounts;
  accounts.reply(450, 520, 530);
  accounts.end(at(600));
  EXPECT_EQ(accounts.window->sent, 1U);
  EXPECT_EQ(accounts.window->sent_in_time, 0U);
  EXPECT_EQ(accounts.window->completed, 1U);
}

TEST(Recorder, CountsWhatIsNeverAnswered) {
  Accounts accounts;
  accounts.advance_to(at(150));
  for (const std::int64_t intended_ms : {90, 150, 160}) {
    const Request request = {at(intended_ms), at(intended_ms), at(intended_ms)};
    accounts.recorder.intended(request.intended);
    accounts.recorder.sent(request);
    accounts.recorder.given_up(request, at(200));
    if (intended_ms == 160) accounts.recorder.in_flight_at_end(request);
  }
  accounts.end(at(600));
  EXPECT_EQ(accounts.window->intended, 2U);
  EXPECT_EQ(accounts.window->unanswered, 2U);
  EXPECT_EQ(accounts.window->in_flight_at_end, 1U);
  EXPECT_EQ(accounts.window->completed, 0U);
}

TEST(Recorder, CountsWhatIsDroppedAndTheSessionsThatEnd) {
  Accounts accounts;
  accounts.advance_to(at(200));
  accounts.recorder.intended(at(150));
  accounts.recorder.dropped(at(150));
  accounts.recorder.dropped(at(50));
  accounts.recorder.session(at(110), at(200));
  accounts.recorder.session(at(50), at(200));
  accounts.end(at(500));
  EXPECT_EQ(accounts.window->dropped, 1U);
  EXPECT_EQ(accounts.window->unsent(), 0U);
  EXPECT_EQ(accounts.window->session.count(), 1U);
  EXPECT_EQ(accounts.window->session.max_ns(), ms(90).count());
}

TEST(Recorder, HandsTheWindowOverIntervalByInterval) {
  Accounts accounts;
  for (std::int64_t t = 0; t <= 500; t += 10) accounts.advance_to(at(t));
  accounts.end(at(550));
  using Interval = std::pair<Instant, Instant>;
  EXPECT_EQ(accounts.intervals,
            (std::vector<Interval>{
                {at(100), at(200)}, {at(200), at(300)}, {at(300), at(400)}, {at(400), at(500)}}));
}

TEST(Recorder, ContinuesAnIntervalThatTheConductorHasNotCollected) {
  Accounts accounts;
  accounts.advance_to(at(150));
  for (std::int64_t t = 160; t <= 390; t += 10) accounts.recorder.advance_to(at(t));
  accounts.end(at(500));
  using Interval = std::pair<Instant, Instant>;
  EXPECT_EQ(accounts.intervals, (std::vector<Interval>{{at(100), at(200)}, {at(200), at(500)}}));
}

TEST(Recorder, BeginsTheWindowEarlierIfItIsMoved) {
  Accounts accounts({.begin = at(0),
                     .window_begin = at(1000),
                     .window_end = at(1400),
                     .warmup_interval = ms(200),
                     .interval = ms(400)});
  accounts.advance_to(at(250));
  accounts.recorder.move_window(at(300));
  accounts.reply(350, 350, 360);
  accounts.reply(690, 690, 695);
  accounts.reply(700, 700, 710);
  accounts.end(at(800));
  EXPECT_EQ(accounts.window->completed, 2U) << "it is as long as was said";
  ASSERT_EQ(accounts.intervals.size(), 1U);
  EXPECT_EQ(accounts.intervals.front(), (std::pair{at(300), at(700)}));
}

/// Something that happens to a request, at an instant.
struct Event {
  std::int64_t at_ms;
  std::function<void(Recorder&)> tell;
};

// Random requests over warm-up, window and drain; a few are never answered, some are in flight
// across a border.
std::vector<Event> random_events(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random()) % limit;
  };
  std::vector<Event> events;
  for (int i = 0; i < 500; ++i) {
    const std::int64_t intended = below(500);
    const std::int64_t sent = intended + below(20);
    const std::int64_t done = sent + 1 + below(200);
    const Request request = {at(intended), at(intended), at(sent)};
    events.push_back({intended, [=](Recorder& to) { to.intended(request.intended); }});
    events.push_back({sent, [=](Recorder& to) { to.sent(request); }});
    if (i % 10 == 0) {
      events.push_back({done, [=](Recorder& to) { to.given_up(request, at(done)); }});
    } else {
      events.push_back({done, [=](Recorder& to) { to.answered(request, at(done)); }});
    }
  }
  std::ranges::stable_sort(events, {}, &Event::at_ms);
  return events;
}

// Plays the events, with the looks of a worker's loop between them.
void play(const std::vector<Event>& events, Accounts& accounts) {
  for (const Event& event : events) {
    accounts.advance_to(at(event.at_ms));
    event.tell(accounts.recorder);
  }
  accounts.end(at(events.back().at_ms));
}

TEST(Recorder, HandsOverPartsThatTogetherAreTheWhole) {
  const std::vector<Event> events = random_events(1);
  Accounts in_parts;
  SegmentTimes undivided = in_hundreds();
  undivided.interval = ms(400);
  Accounts as_a_whole(undivided);
  play(events, in_parts);
  play(events, as_a_whole);
  ASSERT_EQ(in_parts.intervals.size(), 4U);
  ASSERT_EQ(as_a_whole.intervals.size(), 1U);
  const Tally& parts = *in_parts.window;
  const Tally& whole = *as_a_whole.window;
  EXPECT_GT(whole.completed, 200U);
  EXPECT_EQ(parts.intended, whole.intended);
  EXPECT_EQ(parts.sent, whole.sent);
  EXPECT_EQ(parts.completed, whole.completed);
  EXPECT_EQ(parts.unanswered, whole.unanswered);
  EXPECT_EQ(parts.received, whole.received);
  EXPECT_EQ(parts.latency.count(), whole.latency.count());
  EXPECT_EQ(parts.latency.sum_ns(), whole.latency.sum_ns());
  EXPECT_EQ(parts.service_time.sum_ns(), whole.service_time.sum_ns());
  EXPECT_EQ(parts.send_lag.sum_ns(), whole.send_lag.sum_ns());
  EXPECT_NEAR(parts.in_flight_by_gauge_s, whole.in_flight_by_gauge_s, 1e-9);
  EXPECT_NEAR(parts.in_flight_by_requests_s, whole.in_flight_by_requests_s, 1e-9);
}

TEST(Recorder, FindsAsMuchInFlightByIntegratingAsByAddingUp) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Accounts accounts;
    play(random_events(seed), accounts);
    const double by_gauge_s = accounts.window->in_flight_by_gauge_s;
    EXPECT_GT(by_gauge_s, 1);
    EXPECT_NEAR(by_gauge_s, accounts.window->in_flight_by_requests_s, 1e-9) << "seed " << seed;
  }
}

TEST(Recorder, FindsAsMuchInFlightIfTheWorkerIsDelayedForSeveralIntervals) {
  Accounts accounts;
  accounts.reply(50, 50, 420);  // over the beginning and three borders of intervals
  accounts.reply(430, 440, 450);
  accounts.reply(460, 470, 900);  // over the end
  accounts.end(at(900));
  EXPECT_NEAR(accounts.window->in_flight_by_requests_s, 0.320 + 0.010 + 0.030, 1e-9);
  EXPECT_NEAR(accounts.window->in_flight_by_gauge_s, 0.320 + 0.010 + 0.030, 1e-9);
}

TEST(Recorder, CountsWhatIsIntendedAtTheBeginningOfAWindowWithoutWarmUp) {
  SegmentTimes times = in_hundreds();
  times.window_begin = times.begin;
  Accounts accounts(times);
  accounts.recorder.intended(at(0));
  accounts.recorder.tally().bytes_sent += 100;
  accounts.end(at(500));
  EXPECT_EQ(accounts.window->intended, 1U);
  EXPECT_EQ(accounts.window->bytes_sent, 100U);
}

TEST(Recorder, EndsItsLastIntervalWhenItIsEndedEarly) {
  Accounts accounts;
  accounts.advance_to(at(100));
  accounts.end(at(250));
  EXPECT_EQ(accounts.intervals.back(), std::pair(at(200), at(250)));
}

TEST(Recorder, EndsTheWindowEarlierIfItIsTold) {
  Accounts accounts;
  accounts.advance_to(at(100));
  accounts.advance_to(at(200));
  accounts.reply(210, 210, 220);
  accounts.recorder.end_window(at(230));
  accounts.advance_to(at(240));
  EXPECT_FALSE(accounts.recorder.in_window());
  EXPECT_FALSE(accounts.recorder.counts(at(230)));
  accounts.end(at(400));
  EXPECT_EQ(accounts.intervals.back(), std::pair(at(200), at(230)));
  EXPECT_EQ(accounts.window->completed, 1U);
}

TEST(Recorder, GivesTheWarmUpAnAccountOfItsOwnWhenItIsEndedEarly) {
  Accounts accounts;
  accounts.reply(10, 10, 20);
  accounts.end(at(50));
  EXPECT_EQ(accounts.warmup->completed, 1U);
  EXPECT_TRUE(accounts.intervals.empty());
}

}  // namespace
}  // namespace serverlab
