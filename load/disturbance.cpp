#include "load/disturbance.h"

#include "load/bounds.h"

#include <algorithm>

namespace serverlab {
namespace {

constexpr std::size_t quiet_share = 4;  // one slice in so many is taken for undisturbed

// What other work takes where it takes little; none if that is unknown of every slice.
std::optional<double> usual_cpus(const std::vector<IntervalRow>& slices) {
  std::vector<double> known;
  for (const IntervalRow& slice : slices) {
    if (slice.other_cpus_busy) known.push_back(*slice.other_cpus_busy);
  }
  if (known.empty()) return std::nullopt;
  const auto usual = known.begin() + static_cast<std::ptrdiff_t>((known.size() - 1) / quiet_share);
  std::ranges::nth_element(known, usual);
  return *usual;
}

}  // namespace

double send_lag_limit_ns(double latency_p50_ns) {
  return std::max(bounds::send_lag_max_ns, bounds::send_lag_share_max * latency_p50_ns);
}

void mark_disturbed(std::vector<IntervalRow>& slices, bool has_schedule) {
  const std::optional<double> usual = usual_cpus(slices);
  for (IntervalRow& slice : slices) {
    const auto p50_ns = static_cast<double>(slice.latency_p50_ns);
    slice.is_late =
        has_schedule && static_cast<double>(slice.send_lag_p99_ns) > send_lag_limit_ns(p50_ns);
    slice.is_disturbed = slice.begins_late || slice.is_late ||
                         (usual && slice.other_cpus_busy &&
                          *slice.other_cpus_busy > *usual + bounds::other_cpus_max);
  }
}

}  // namespace serverlab
