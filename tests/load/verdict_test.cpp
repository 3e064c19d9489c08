// Each verdict from a result made by hand: sound, but for the one thing that the verdict is about.

#include "load/verdict.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

using std::chrono::microseconds;

class VerdictTest : public testing::Test {
 protected:
  VerdictTest() {
    options.model.connections = 10;
    options.model.depth = 2;
    result->duration_s = 2;
    result->warmup_s = 1;
    result->established = 10;
    window.intended = window.sent = window.sent_in_time = 10'000;
    window.completed = window.received = window.answered = 10'000;
    window.latency.record(200'000, 10'000);
    window.send_lag.record(5'000, 10'000);
    window.in_flight_by_gauge_s = window.in_flight_by_requests_s = 20;  // ten on the average
  }

  void follow_schedule(ModelName name = ModelName::open) {
    options.model.name = name;
    options.model.rate.to_per_s = 5'000;
  }

  void err(ErrorClass error, std::uint64_t times) {
    window.errors[static_cast<std::size_t>(error)] = times;
  }

  void expect(std::string_view name, std::string_view reason, bool interrupted = false) {
    const LoadVerdict given = verdict(options, *result, interrupted);
    EXPECT_EQ(given.name, name);
    EXPECT_EQ(given.reason, reason);
  }

  LoadOptions options;
  std::unique_ptr<TargetResult> result = std::make_unique<TargetResult>();
  Tally& window = result->window;
};

TEST_F(VerdictTest, IsValidWhereNothingIsWrong) {
  expect("VALID", "");
  follow_schedule();
  expect("VALID", "");
}

TEST_F(VerdictTest, IsInterruptedWhateverElseIsWrong) {
  result->established = 3;
  err(ErrorClass::wrong_content, 1);
  expect("INTERRUPTED", "stopped after 2.0 s", true);
}

TEST_F(VerdictTest, IsShortWhereConnectionsWereMissing) {
  result->established = 9;
  expect("SHORT", "9 of 10 connections were open when the window began");
}

TEST_F(VerdictTest, IsNotShortWhereConnectionsComeAndGo) {
  result->established = 0;
  for (const ModelName name : {ModelName::sessions, ModelName::churn}) {
    follow_schedule(name);
    expect("VALID", "");
  }
}

TEST_F(VerdictTest, IsOfErrorsAtASingleWrongAnswer) {
  for (const ErrorClass error :
       {ErrorClass::wrong_content, ErrorClass::protocol_error, ErrorClass::unexpected_reply}) {
    err(error, 1);
    expect("ERRORS", "1 wrong answers");
    err(error, 0);
  }
}

TEST_F(VerdictTest, IsOfErrorsAtAWrongAnswerBeforeTheWindow) {
  result->before.count(ErrorClass::wrong_content);
  expect("ERRORS", "1 wrong answers");
}

TEST_F(VerdictTest, BearsOneErrorInAThousandAndNoMore) {
  err(ErrorClass::read_reset, 10);
  expect("VALID", "");
  err(ErrorClass::read_reset, 11);
  expect("ERRORS", "11 errors in 10000 requests, 0.11 %");
}

TEST_F(VerdictTest, IsOfErrorsWhereNothingWasIssuedOrAnswered) {
  window.completed = 0;
  expect("ERRORS", "no request was answered");
  window.intended = 0;
  expect("ERRORS", "no request was issued in the window");
}

TEST_F(VerdictTest, IsImpossibleWhereTheBookKeepingsDisagreeByMoreThanTwoPercent) {
  window.in_flight_by_gauge_s = 19.7;
  expect("VALID", "");
  window.in_flight_by_gauge_s = 19.5;
  expect("IMPOSSIBLE", "9.75 requests in flight on the average, but their times add up to 10.00");
}

TEST_F(VerdictTest, IsImpossibleWhereMoreIsInFlightThanThereIsRoomFor) {
  window.in_flight_by_gauge_s = window.in_flight_by_requests_s = 41;
  expect("IMPOSSIBLE", "20.50 requests in flight on the average, where there is room for 20");
}

TEST_F(VerdictTest, IsUnsteadyWhereTheWarmUpNeverWas) {
  result->steady = false;
  expect("UNSTEADY", "not steady after 1.0 s of warm-up");
  result->steady = true;
  expect("VALID", "");
}

TEST_F(VerdictTest, IsOfTheClientWhereItWasLateToSend) {
  follow_schedule();
  window.send_lag.record(60'000, 200);
  expect("CLIENT-LIMITED", "p99 send lag 60 µs, above 50 µs");
}

TEST_F(VerdictTest, BearsALagThatIsSmallBesideTheLatency) {
  follow_schedule();
  window.send_lag.record(60'000, 200);
  window.latency.clear();
  window.latency.record(2'000'000, 10'000);
  expect("VALID", "");
}

TEST_F(VerdictTest, IsOfTheClientWhereAThreadOfItsWasBusyAllTheTime) {
  follow_schedule();
  result->cpu_busiest_worker = 0.96;
  expect("CLIENT-LIMITED", "a generator thread was busy for 96 % of the window");
  options.pacing = Pacing::spin;
  expect("VALID", "");
}

TEST_F(VerdictTest, IsNotSustainedWhereTheOfferedRateWasNotSent) {
  follow_schedule();
  window.sent_in_time = 9'900;
  expect("VALID", "");
  window.sent_in_time = 9'890;
  expect("NOT-SUSTAINED", "only 98.9 % of the offered rate was sent");
}

TEST_F(VerdictTest, AsksProbesOfIdleConnectionsForTheirRateAlone) {
  follow_schedule(ModelName::hold);
  window.send_lag.record(1'000'000, 10'000);
  expect("VALID", "");
  window.sent_in_time = 5'000;
  expect("NOT-SUSTAINED", "only 50.0 % of the offered rate was sent");
}

TEST_F(VerdictTest, DoesNotAskAClosedLoopForPunctuality) {
  window.send_lag.record(1'000'000, 10'000);
  result->cpu_busiest_worker = 1;
  window.sent_in_time = 5'000;
  expect("VALID", "");
}

}  // namespace
}  // namespace serverlab
