// What may be written for a duration, a size and a set of CPUs, and what may not.

#include "base/quantity.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

namespace serverlab {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::nanoseconds;

// What a function that must throw BadQuantity says.
template <class Parse>
std::string complaint(Parse parse, std::string_view text) {
  try {
    parse(text);
  } catch (const BadQuantity& error) {
    return error.what();
  }
  ADD_FAILURE() << "'" << text << "' was taken";
  return {};
}

TEST(Quantity, ReadsDurationsInAllTheirUnits) {
  EXPECT_EQ(parse_duration("10s"), std::chrono::seconds(10));
  EXPECT_EQ(parse_duration("1.5 ms"), microseconds(1500));
  EXPECT_EQ(parse_duration("250us"), microseconds(250));
  EXPECT_EQ(parse_duration("80 ns"), nanoseconds(80));
  EXPECT_EQ(parse_duration("2 min"), minutes(2));
  EXPECT_EQ(parse_duration("1h"), hours(1));
  EXPECT_EQ(parse_duration(" 0s "), std::chrono::seconds(0));
  EXPECT_EQ(parse_duration("876000h"), hours(876'000)) << "a century";
}

TEST(Quantity, RefusesWhatIsNoDurationAndSaysWhatOneLooksLike) {
  for (const auto* text : {"", " ", "10", "s", "10 parsecs", "-1s", "1e3s", "+1s", "1,5s", "1s s",
                           "nan s", "inf s", "876001h", "0x10s", "10S"}) {
    const std::string said = complaint(parse_duration, text);
    EXPECT_NE(said.find(fmt::format("'{}'", text)), said.npos) << said;
    EXPECT_NE(said.find("10s, 1.5ms or 250us"), said.npos) << said;
  }
}

TEST(Quantity, ReadsSizesInAllTheirUnits) {
  EXPECT_EQ(parse_size("64"), 64U);
  EXPECT_EQ(parse_size("64 B"), 64U);
  EXPECT_EQ(parse_size("10 kB"), 10'000U);
  EXPECT_EQ(parse_size("1MB"), 1'000'000U);
  EXPECT_EQ(parse_size("1GB"), 1'000'000'000U);
  EXPECT_EQ(parse_size("16 KiB"), 16'384U);
  EXPECT_EQ(parse_size("1.5KiB"), 1'536U);
  EXPECT_EQ(parse_size("1MiB"), 1'048'576U);
  EXPECT_EQ(parse_size("1024GiB"), 1ULL << 40);
}

TEST(Quantity, RefusesWhatIsNoSizeAndSaysWhatOneLooksLike) {
  for (const auto* text :
       {"", "B", "-1", "1.5", "0.1 B", "64 bytes", "64b", "1025GiB", "1e3", "1 2"}) {
    const std::string said = complaint(parse_size, text);
    EXPECT_NE(said.find(fmt::format("'{}'", text)), said.npos) << said;
    EXPECT_NE(said.find("64, 64B, 16KiB or 10MB"), said.npos) << said;
  }
}

TEST(Quantity, ReadsCpusAndRangesOfThemInTheirOrder) {
  EXPECT_EQ(parse_cpus("0"), (std::vector{0}));
  EXPECT_EQ(parse_cpus("0,2-3"), (std::vector{0, 2, 3}));
  EXPECT_EQ(parse_cpus("7,1"), (std::vector{7, 1}));
  EXPECT_EQ(parse_cpus("5-5"), (std::vector{5}));
}

TEST(Quantity, RefusesWhatIsNoSetOfCpus) {
  for (const auto* text : {"", ",", "0,", "a", "1-", "-1", "1--2", "3-1", "0-1-2", "4096", "0 1"}) {
    EXPECT_NE(complaint(parse_cpus, text), "") << text;
  }
}

}  // namespace
}  // namespace serverlab
