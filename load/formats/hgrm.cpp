#include "load/formats/formats.h"

#include <cmath>
#include <fmt/format.h>

namespace serverlab {
namespace {

constexpr double ns_per_ms = 1e6;
constexpr int ticks_per_half_distance = 5;

double deviation_ns(const Histogram& histogram) {
  double squares = 0;
  for (std::size_t i = histogram.first_index(); i <= histogram.last_index(); ++i) {
    const auto middle = static_cast<double>(Buckets::lowest_of(i) + Buckets::highest_of(i)) / 2;
    const double distance = middle - histogram.mean_ns();
    squares += distance * distance * static_cast<double>(histogram.count_at(i));
  }
  return std::sqrt(squares / static_cast<double>(histogram.count()));
}

// Percentiles are denser towards 100: five to each halving of the distance that is left.
double next_percentile(double percentile) {
  const double halvings = std::floor(std::log2(100 / (100 - percentile))) + 1;
  return percentile + 100 / (ticks_per_half_distance * std::exp2(halvings));
}

}  // namespace

void write_hgrm(std::ostream& out, const Histogram& histogram) {
  out << fmt::format("{:>12} {:>14} {:>12} {:>14}\n\n", "Value", "Percentile", "TotalCount",
                     "1/(1-Percentile)");
  if (histogram.count() > 0) {
    std::uint64_t seen = 0;
    double percentile = 0;
    const auto total = static_cast<double>(histogram.count());
    for (std::size_t i = histogram.first_index(); i <= histogram.last_index(); ++i) {
      seen += histogram.count_at(i);
      const double reached = 100 * static_cast<double>(seen) / total;
      const double value_ms = static_cast<double>(Buckets::highest_of(i)) / ns_per_ms;
      while (seen < histogram.count() && percentile <= reached) {
        out << fmt::format("{:12.3f} {:14.12f} {:12} {:14.2f}\n", value_ms, percentile / 100, seen,
                           100 / (100 - percentile));
        percentile = next_percentile(percentile);
      }
    }
    out << fmt::format("{:12.3f} {:14.12f} {:12} {:>14}\n",
                       static_cast<double>(Buckets::highest_of(histogram.last_index())) / ns_per_ms,
                       1.0, histogram.count(), "inf");
  }
  const bool some = histogram.count() > 0;
  out << fmt::format("#[Mean    = {:12.3f}, StdDeviation   = {:12.3f}]\n",
                     histogram.mean_ns() / ns_per_ms,
                     some ? deviation_ns(histogram) / ns_per_ms : 0)
      << fmt::format("#[Max     = {:12.3f}, Total count    = {:12}]\n",
                     static_cast<double>(histogram.max_ns()) / ns_per_ms, histogram.count())
      << fmt::format("#[Buckets = {:12}, SubBuckets     = {:12}]\n", 32, Buckets::subs);
}

}  // namespace serverlab
