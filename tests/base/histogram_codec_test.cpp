// The encoding as far as it can be seen without a decoder; the conformance suite gives it to
// another implementation to read.

#include "base/histogram_codec.h"

#include <gtest/gtest.h>
#include <memory>

namespace serverlab {
namespace {

constexpr auto base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

TEST(HistogramCodec, MarksItsTextAsCompressedV2) {
  const auto histogram = std::make_unique<Histogram>();
  histogram->record(12'345);
  EXPECT_EQ(encode(*histogram).substr(0, 8), "HISTFAAA");
}

TEST(HistogramCodec, EncodesAnEmptyHistogramTheSameWhetherNewOrCleared) {
  const auto fresh = std::make_unique<Histogram>();
  const auto cleared = std::make_unique<Histogram>();
  cleared->record(1'000'000, 3);
  cleared->clear();
  EXPECT_EQ(encode(*fresh).substr(0, 8), "HISTFAAA");
  EXPECT_EQ(encode(*cleared), encode(*fresh));
}

TEST(HistogramCodec, WritesWholeGroupsOfTheAlphabetWhateverTheLength) {
  const auto histogram = std::make_unique<Histogram>();
  for (std::int64_t value = 1; value < 100'000'000; value *= 3) {
    histogram->record(value, static_cast<std::uint64_t>(value));
    const std::string text = encode(*histogram);
    EXPECT_EQ(text.size() % 4, 0U);
    EXPECT_EQ(text.find_first_not_of(base64), std::string::npos);
    EXPECT_LT(text.size() - text.find_last_not_of('='), 4U) << "at most two signs of padding";
  }
}

TEST(HistogramCodec, TellsDifferentHistogramsApart) {
  const auto one = std::make_unique<Histogram>();
  const auto other = std::make_unique<Histogram>();
  one->record(5000);
  other->record(5000, 2);
  EXPECT_NE(encode(*one), encode(*other));
}

}  // namespace
}  // namespace serverlab
