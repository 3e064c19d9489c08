// Each verdict from a result made by hand: sound, but for the one thing that the verdict is about.

#include "load/verdict.h"

#include <array>
#include <gtest/gtest.h>
#include <set>

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

TEST_F(VerdictTest, IsOfErrorsAtASingleWrongReply) {
  for (const ErrorClass error : {ErrorClass::wrong_content, ErrorClass::protocol_error}) {
    err(error, 1);
    expect("ERRORS", "wrong replies failed 1 requests of the window and 0 before it");
    err(error, 0);
  }
  err(ErrorClass::unexpected_reply, 2);
  expect("ERRORS", "2 connections had a reply without a request");
}

TEST_F(VerdictTest, IsOfErrorsAtAWrongReplyToARequestFromBeforeTheWindow) {
  result->before.count(ErrorClass::wrong_content);
  window.errors_earlier[static_cast<std::size_t>(ErrorClass::protocol_error)] = 3;
  expect("ERRORS", "wrong replies failed 0 requests of the window and 4 before it");
}

TEST_F(VerdictTest, AllowsOneErrorInAThousandAndNoMore) {
  err(ErrorClass::read_reset, 10);
  expect("VALID", "");
  err(ErrorClass::read_reset, 11);
  expect("ERRORS", "11 of 10000 requests failed, 0.11 %");
}

TEST_F(VerdictTest, NamesErrorsOfConnectionsApartAndNeverMoreThanAHundredPercent) {
  window.intended = 8;
  err(ErrorClass::request_timeout, 8);
  err(ErrorClass::connect_refused, 16);
  expect("ERRORS", "8 of 8 requests failed, 100 %; 16 errors of connections");
}

TEST_F(VerdictTest, HasAnExitStatusForEachNameAndZeroForValidAlone) {
  std::set<int> statuses = {1, 2};  // could not be run, told wrong
  for (const LoadVerdictRow& row : load_verdicts()) {
    EXPECT_TRUE(statuses.insert(row.exit_status).second) << row.name;
    EXPECT_EQ(row.exit_status == 0, row.name == "VALID");
    EXPECT_EQ(exit_status(std::array{row.name}), row.exit_status);
    EXPECT_EQ(exit_status(std::array<std::string_view, 2>{"VALID", row.name}), row.exit_status);
  }
  EXPECT_EQ(exit_status(std::array<std::string_view, 2>{"NOT-SUSTAINED", "ERRORS"}),
            exit_status(std::array<std::string_view, 1>{"ERRORS"}));
}

TEST_F(VerdictTest, IsOfErrorsWhereNothingWasIssuedOrAnswered) {
  window.completed = 0;
  expect("ERRORS", "no request had a reply");
  window.intended = 0;
  expect("ERRORS", "no request was issued in the window");
  err(ErrorClass::connect_refused, 1);
  expect("ERRORS", "no request was issued in the window");
}

TEST_F(VerdictTest, IsNotOfErrorsWhereNothingWasIssuedOrAnsweredForWantOfTheGeneratorOrTheServer) {
  window.intended = window.completed = 0;
  result->asked = result->starved = 10;
  expect("ERRORS", "no request was issued in the window");
  result->before.received = 1;
  expect("STARVED", "10 of 10 connections with a request had no reply in the window of 2.0 s");
  result->pauses.stalled_s = result->pauses.stall_longest_s = 2;
  expect("CLIENT-STALLED",
         "the generator did not run for 2.00 s of the window of 2.0 s, 2.00 s at a time; look for "
         "what stopped it or took its CPU, and measure again");
}

TEST_F(VerdictTest, IsOfErrorsWhereTheServerWasSilentWhenTheLoadEnded) {
  result->duration_s = 10;
  window.in_flight_by_gauge_s = window.in_flight_by_requests_s = 100;
  result->pauses.silence_at_end_s = 0.9;
  expect("VALID", "");
  result->pauses.silence_at_end_s = 1;
  expect("ERRORS",
         "no reply came in the last 1.0 s of the window of 10.0 s; the server was silent when the "
         "load ended");
  result->duration_s = 30;
  window.in_flight_by_gauge_s = window.in_flight_by_requests_s = 300;
  result->pauses.silence_at_end_s = 1.4;
  expect("VALID", "");
}

TEST_F(VerdictTest, IsOfErrorsWhereARequestOfEachConnectionFailed) {
  result->asked = 7;
  result->failed = 6;
  expect("VALID", "");
  result->failed = 7;
  expect("ERRORS", "on 7 of 7 connections with a request one timed out, or the last had no reply");
}

TEST_F(VerdictTest, IsUnfinishedWhereClientsHadNotDoneTheirSessionsOrHadTheirTime) {
  options.duration = std::chrono::seconds(2);
  options.connect_timeout = std::chrono::seconds(5);
  result->unfinished = 3;
  options.model.sessions = 10;
  expect("UNFINISHED", "3 of 10 clients had not done 10 sessions at the limit, --duration=2s");
  options.model.sessions = 0;
  options.model.start = Start::own;
  expect("UNFINISHED",
         "3 of 10 clients had not had their 2 s at the limit, 5 s later: they were connected too "
         "late, or never");
}

TEST_F(VerdictTest, IsImpossibleWhereTheBookKeepingsDisagreeByMoreThanTwoPercent) {
  window.in_flight_by_gauge_s = 19.7;
  expect("VALID", "");
  window.in_flight_by_gauge_s = 19.5;
  expect("IMPOSSIBLE", "9.75 requests in flight on average, but their times add up to 10.00");
}

TEST_F(VerdictTest, IsImpossibleWhereMoreIsInFlightThanThereIsRoomFor) {
  window.in_flight_by_gauge_s = window.in_flight_by_requests_s = 41;
  expect("IMPOSSIBLE", "20.50 requests in flight on average, where there is room for 20");
}

TEST_F(VerdictTest, IsStarvedWhereOneConnectionThatAskedHadNoReply) {
  result->asked = 9;
  result->starved = 1;
  expect("STARVED", "1 of 9 connections with a request had no reply in the window of 2.0 s");
  err(ErrorClass::wrong_content, 1);
  expect("ERRORS", "wrong replies failed 1 requests of the window and 0 before it");
}

TEST_F(VerdictTest, IsOfAStalledClientFromOnePercentOfTheWindowOn) {
  result->duration_s = 20;
  result->pauses = {.stalled_s = 0.2, .stall_longest_s = 0.2, .silence_longest_s = 5};
  window.in_flight_by_gauge_s = window.in_flight_by_requests_s = 200;
  expect("VALID", "");
  result->pauses.stalled_s = 2.3;
  result->starved = 1;
  expect("CLIENT-STALLED",
         "the generator did not run for 2.30 s of the window of 20.0 s, 0.20 s at a time; look for "
         "what stopped it or took its CPU, and measure again");
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

TEST_F(VerdictTest, AllowsALagThatIsSmallComparedWithTheLatency) {
  follow_schedule();
  window.send_lag.record(60'000, 200);
  window.latency.clear();
  window.latency.record(2'000'000, 10'000);
  expect("VALID", "");
}

TEST_F(VerdictTest, OfSlicesIsOfTheClientWhereItWasLateInNearlyAllOfThem) {
  follow_schedule();
  options.slice = std::chrono::milliseconds(50);
  window.send_lag.record(3'000'000, 500);  // all of it in three slices
  result->series.resize(4);
  for (int late = 0; late < 3; ++late) result->series[late].is_late = true;
  expect("VALID", "");
  result->series[3].is_late = true;
  expect("CLIENT-LIMITED", "the generator was late in 4 of 4 slices: p99 send lag above 50 µs");
}

TEST_F(VerdictTest, IsOfTheClientWhereOneOfItsThreadsWasAlwaysBusy) {
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

TEST_F(VerdictTest, OfSlicesIsNotSustainedWhereThatIsSoOfThoseThatCount) {
  follow_schedule();
  window.sent_in_time = 9'800;
  result->series.resize(2);
  for (IntervalRow& row : result->series) row.intended = row.sent_in_time = 5'000;
  result->series[0].sent_in_time = 4'800;
  expect("NOT-SUSTAINED", "only 98.0 % of the offered rate was sent");
  result->series[0].is_disturbed = true;
  expect("VALID", "");
}

TEST_F(VerdictTest, AsksProbesOfIdleConnectionsForTheirRateAlone) {
  follow_schedule(ModelName::hold);
  window.send_lag.record(1'000'000, 10'000);
  expect("VALID", "");
  window.sent_in_time = 5'000;
  expect("NOT-SUSTAINED", "only 50.0 % of the offered rate was sent");
}

TEST_F(VerdictTest, DoesNotLimitTheLagOfAClosedLoop) {
  window.send_lag.record(1'000'000, 10'000);
  result->cpu_busiest_worker = 1;
  window.sent_in_time = 5'000;
  expect("VALID", "");
}

}  // namespace
}  // namespace serverlab
