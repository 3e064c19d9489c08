#include "base/histogram.h"
#include "load/formats/formats.h"

#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>

namespace serverlab {
namespace {

TEST(PercentileSpectrum, NeverPrintsAPercentileTwice) {
  Histogram histogram;
  for (int i = 0; i < 24; ++i) histogram.record(i, 1U << (24 - i));
  std::stringstream spectrum;
  write_hgrm(spectrum, histogram);

  std::multiset<std::string> percentiles;
  std::string line;
  while (std::getline(spectrum, line)) {
    std::istringstream words(line);
    std::string value;
    std::string percentile;
    if (words >> value >> percentile && percentile.find_first_not_of("0123456789.") == line.npos) {
      percentiles.insert(percentile);
    }
  }
  EXPECT_GT(percentiles.size(), 100U);
  EXPECT_EQ(percentiles.size(), std::set(percentiles.begin(), percentiles.end()).size());
}

}  // namespace
}  // namespace serverlab
