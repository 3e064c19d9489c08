// The rule of the percentiles: given where ten values lie beyond it and it does not fall among the
// unanswered, else null.

#include "load/result_json.h"

#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace serverlab {
namespace {

using Json = nlohmann::ordered_json;

LoadResult result_of(std::uint64_t answered, std::uint64_t unanswered) {
  LoadResult result;
  result.targets.push_back(std::make_unique<TargetResult>());
  TargetResult& target = *result.targets.front();
  target.duration_s = 1;
  target.window.intended = target.window.sent = answered + unanswered;
  target.window.completed = answered;
  target.window.unanswered = unanswered;
  if (answered > 0) target.window.latency.record(5'000, answered);
  return result;
}

Json latency_of(std::uint64_t answered, std::uint64_t unanswered) {
  return result_json(LoadOptions(), result_of(answered, unanswered))["latency_ns"];
}

TEST(ResultJson, GivesAPercentileFromTenValuesBeyondItOn) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"p50", 20}, {"p90", 100}, {"p99", 1'000}, {"p99_9", 10'000}};
  for (const auto& [name, enough] : cases) {
    EXPECT_TRUE(latency_of(enough - 1, 0)[name].is_null()) << name << " of " << enough - 1;
    EXPECT_EQ(latency_of(enough, 0)[name], Json(5'003)) << name << " of " << enough;
  }
}

TEST(ResultJson, GivesNoPercentileThatFallsAmongTheUnanswered) {
  const Json latency = latency_of(900, 200);
  EXPECT_EQ(latency["count"], 900);
  EXPECT_EQ(latency["unanswered"], 200);
  EXPECT_FALSE(latency["p50"].is_null());
  EXPECT_TRUE(latency["p90"].is_null());
  EXPECT_TRUE(latency["p99"].is_null());
}

TEST(ResultJson, GivesNullForFiguresOfNothing) {
  const Json latency = latency_of(0, 0);
  EXPECT_EQ(latency["count"], 0);
  for (const auto* name : {"min", "mean", "p50", "p90", "p99", "p99_9", "max"}) {
    EXPECT_TRUE(latency[name].is_null()) << name << " is " << latency[name];
  }
}

TEST(ResultJson, GivesNullForTheFiguresOfAnIntervalWithoutReplies) {
  const IntervalRow silent = {.from_s = 0, .to_s = 1, .latency_p50_ns = -1, .latency_p99_ns = -1};
  const Json row = interval_json(silent);
  for (const auto* name : {"mean_ns", "p50_ns", "p99_ns"}) {
    EXPECT_TRUE(row[name].is_null()) << name << " is " << row[name];
  }
}

TEST(ResultJson, NamesOnlyTheErrorsThatWere) {
  LoadResult result = result_of(10, 0);
  result.targets.front()->window.count(ErrorClass::read_reset);
  result.targets.front()->before.count(ErrorClass::connect_refused);
  const Json requests = result_json(LoadOptions(), result)["requests"];
  EXPECT_EQ(requests["errors"], Json({{"read_reset", 1}}));
  EXPECT_EQ(requests["errors_before_window"], Json({{"connect_refused", 1}}));
}

TEST(ResultJson, HoldsEveryTargetAndItsNameWhereThereAreSeveral) {
  LoadOptions options;
  options.targets = {Address::parse("127.0.0.1:1"), Address::parse("127.0.0.1:2")};
  LoadResult result = result_of(1, 0);
  result.targets.push_back(std::move(result_of(2, 0).targets.front()));
  const Json json = result_json(options, result);
  ASSERT_EQ(json["targets"].size(), 2U);
  EXPECT_EQ(json["targets"][0]["target"], "127.0.0.1:1");
  EXPECT_EQ(json["targets"][1]["requests"]["completed"], 2);
  EXPECT_FALSE(json["targets"][0].contains("series"));
}

}  // namespace
}  // namespace serverlab
