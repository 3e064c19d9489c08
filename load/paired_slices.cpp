#include "load/paired_slices.h"

#include <algorithm>
#include <cmath>

namespace serverlab {
namespace {

constexpr double normal_quantile = 1.96;  // of 97.5 %

double goodput_per_s(const IntervalRow& row) {
  const double duration_s = row.to_s - row.from_s;
  return duration_s > 0 ? static_cast<double>(row.received) / duration_s : 0;
}

double server_cpu_per_request_s(const IntervalRow& row) {
  return row.answered > 0 ? row.server_cpu_s.value_or(0) / static_cast<double>(row.answered) : 0;
}

std::optional<PairedRatio> ratio_of(const TargetResult& over, const TargetResult& under,
                                    double (*measure)(const IntervalRow&)) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(over.series.size(), under.series.size()); ++i) {
    const double a = measure(over.series[i]);
    const double b = measure(under.series[i]);
    if (a > 0 && b > 0) ratios.push_back(a / b);
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

std::optional<PairedRatio> goodput_ratio(const TargetResult& over, const TargetResult& under) {
  return ratio_of(over, under, goodput_per_s);
}

std::optional<PairedRatio> server_cpu_ratio(const TargetResult& over, const TargetResult& under) {
  return ratio_of(over, under, server_cpu_per_request_s);
}

}  // namespace serverlab
