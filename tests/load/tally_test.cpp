// Tallies merge and clear field by field. A field that is forgotten in one of them is a figure that
// is silently wrong, so every field is on a list here, and the list is known to be complete.

#include "load/tally.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace serverlab {
namespace {

constexpr std::uint64_t Tally::* counts[] = {
    &Tally::intended,   &Tally::sent,           &Tally::dropped,
    &Tally::completed,  &Tally::unanswered,     &Tally::in_flight_at_end,
    &Tally::received,   &Tally::answered,       &Tally::sent_in_time,
    &Tally::bytes_sent, &Tally::bytes_received, &Tally::lost,
    &Tally::reopened};
constexpr double Tally::* sums[] = {&Tally::outage_s, &Tally::in_flight_by_gauge_s,
                                    &Tally::in_flight_by_requests_s};
constexpr Histogram Tally::* histograms[] = {&Tally::latency, &Tally::service_time,
                                             &Tally::send_lag, &Tally::connect, &Tally::session};

static_assert(sizeof(Tally) ==
                  std::size(counts) * sizeof(std::uint64_t) + std::size(sums) * sizeof(double) +
                      sizeof(Tally::errors) + sizeof(Tally::errors_earlier) +
                      std::size(histograms) * sizeof(Histogram) + sizeof(Tally::latency_of_class),
              "a field of Tally is missing from the lists above");

std::vector<Histogram*> histograms_of(Tally& tally) {
  std::vector<Histogram*> all;
  for (const auto field : histograms) all.push_back(&(tally.*field));
  for (Histogram& of_class : tally.latency_of_class) all.push_back(&of_class);
  return all;
}

/// A tally whose fields all differ.
/// @param scale of all values
std::unique_ptr<Tally> filled(std::uint64_t scale) {
  auto tally = std::make_unique<Tally>();
  std::uint64_t next = 0;
  for (const auto field : counts) (*tally).*field = ++next * scale;
  for (const auto field : sums) (*tally).*field = static_cast<double>(++next * scale);
  for (std::uint64_t& errors : tally->errors) errors = ++next * scale;
  for (std::uint64_t& errors : tally->errors_earlier) errors = ++next * scale;
  for (Histogram* histogram : histograms_of(*tally)) {
    histogram->record(static_cast<std::int64_t>(++next), scale);
  }
  return tally;
}

void expect_same(Tally& actual, Tally& expected) {
  for (const auto field : counts) EXPECT_EQ(actual.*field, expected.*field);
  for (const auto field : sums) EXPECT_DOUBLE_EQ(actual.*field, expected.*field);
  EXPECT_EQ(actual.errors, expected.errors);
  EXPECT_EQ(actual.errors_earlier, expected.errors_earlier);
  const auto are = histograms_of(actual);
  const auto should_be = histograms_of(expected);
  for (std::size_t i = 0; i < are.size(); ++i) {
    EXPECT_EQ(are[i]->count(), should_be[i]->count());
    EXPECT_EQ(are[i]->min_ns(), should_be[i]->min_ns());
    EXPECT_EQ(are[i]->max_ns(), should_be[i]->max_ns());
  }
}

TEST(Tally, MergesEveryField) {
  const auto merged = filled(1);
  merged->merge(*filled(10));
  expect_same(*merged, *filled(11));
}

TEST(Tally, ClearsEveryField) {
  const auto tally = filled(7);
  tally->clear();
  expect_same(*tally, *std::make_unique<Tally>());
}

TEST(Tally, CountsErrorsByTheirClassAndInTotal) {
  const auto tally = std::make_unique<Tally>();
  tally->count(ErrorClass::read_reset);
  tally->count(ErrorClass::read_reset);
  tally->count(ErrorClass::unexpected_reply);
  EXPECT_EQ(tally->errors[static_cast<std::size_t>(ErrorClass::read_reset)], 2U);
  EXPECT_EQ(tally->errors_total(), 3U);
}

TEST(Tally, NamesItsErrorClassesAsTheResultDoes) {
  EXPECT_EQ(name_of(ErrorClass::connect_refused), "connect_refused");
  EXPECT_EQ(name_of(ErrorClass::request_timeout), "request_timeout");
  EXPECT_EQ(name_of(ErrorClass::unexpected_reply), "unexpected_reply");
}

TEST(Tally, TellsAConnectThatWasResetFromOneThatWasRefused) {
  EXPECT_EQ(connect_error(ECONNREFUSED), ErrorClass::connect_refused);
  EXPECT_EQ(connect_error(ECONNRESET), ErrorClass::connect_reset) << "a listener was closed";
  EXPECT_EQ(connect_error(EPIPE), ErrorClass::connect_reset) << "and the peer had ended before";
  EXPECT_EQ(connect_error(EACCES), ErrorClass::connect_failed);
}

}  // namespace
}  // namespace serverlab
