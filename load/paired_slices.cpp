#include "load/paired_slices.h"

#include <algorithm>
#include <cmath>

namespace serverlab {
namespace {

constexpr double normal_quantile = 1.96;     // of 97.5 %
constexpr std::size_t rounds_apart_max = 4;  // between slices that are further apart it drifts

double goodput_per_s(const IntervalRow& row) {
  const double duration_s = row.to_s - row.from_s;
  return duration_s > 0 ? static_cast<double>(row.received) / duration_s : 0;
}

double server_cpu_per_request_s(const IntervalRow& row) {
  return row.answered > 0 ? row.server_cpu_s.value_or(0) / static_cast<double>(row.answered) : 0;
}

// Each slice of the one beside the first of the other that is close enough and still alone: where
// none is disturbed, the i-th beside the i-th.
std::optional<PairedRatio> ratio_of(const TargetResult& over, const TargetResult& under,
                                    double (*measure)(const IntervalRow&), bool all_count) {
  std::vector<double> ratios;
  const auto counts = [&](const IntervalRow& row) {
    return (all_count || !row.is_disturbed) && measure(row) > 0;
  };
  std::size_t other = 0;
  for (std::size_t i = 0; i < over.series.size(); ++i) {
    if (!counts(over.series[i])) continue;
    while (other < under.series.size() &&
           (other + rounds_apart_max < i || !counts(under.series[other]))) {
      ++other;
    }
    if (other >= under.series.size() || other > i + rounds_apart_max) continue;
    ratios.push_back(measure(over.series[i]) / measure(under.series[other]));
    ++other;
  }
  return median_of(std::move(ratios));
}

}  // namespace

// The ranks are those of the binomial distribution's normal approximation.
std::optional<PairedRatio> median_of(std::vector<double> ratios) {
  const auto count = static_cast<double>(ratios.size());
  const double low = std::round((count - normal_quantile * std::sqrt(count)) / 2);
  if (low < 1) return std::nullopt;
  std::ranges::sort(ratios);
  const auto below = static_cast<std::size_t>(low) - 1;
  const std::size_t half = ratios.size() / 2;
  const double median =
      ratios.size() % 2 == 1 ? ratios[half] : (ratios[half - 1] + ratios[half]) / 2;
  return PairedRatio{.median = median,
                     .low = ratios[below],
                     .high = ratios[ratios.size() - 1 - below],
                     .pairs = ratios.size()};
}

// Where nearly all slices are disturbed, those that are left say too little, and all count.
std::optional<PairedRatio> goodput_ratio(const TargetResult& over, const TargetResult& under) {
  const auto found = ratio_of(over, under, goodput_per_s, false);
  return found ? found : ratio_of(over, under, goodput_per_s, true);
}

// What other work takes is no CPU time of the server: all slices count (docs/decisions/0037).
std::optional<PairedRatio> server_cpu_ratio(const TargetResult& over, const TargetResult& under) {
  return ratio_of(over, under, server_cpu_per_request_s, true);
}

}  // namespace serverlab
