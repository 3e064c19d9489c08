#include "base/number.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace serverlab {
namespace {

TEST(Number, IsTheWholeOfAText) {
  EXPECT_EQ(number_of<int>("-7"), -7);
  EXPECT_EQ(number_of<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(number_of<double>("1.5"), 1.5);
}

TEST(Number, IsNotInATextThatHasMoreOrLess) {
  for (const auto* text : {"", "x", "7x", " 7", "7 ", "+7", "7.5", "--7"}) {
    EXPECT_EQ(number_of<int>(text), std::nullopt) << text;
  }
}

TEST(Number, IsNoneIfItDoesNotFit) {
  EXPECT_EQ(number_of<std::uint64_t>("18446744073709551616"), std::nullopt);
  EXPECT_EQ(number_of<std::uint32_t>("-1"), std::nullopt);
}

}  // namespace
}  // namespace serverlab
