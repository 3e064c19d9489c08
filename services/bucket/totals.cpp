#include "services/bucket/totals.h"

#include <fmt/format.h>

namespace serverlab {

BucketTotals::BucketTotals(const BucketOptions& options) :
    options_(options),
    delay_units_max_(static_cast<std::uint64_t>(bucket_delay_max / options.delay_unit)),
    totals_(options.buckets) {
  for (std::size_t i = 0; i < options.buckets; ++i) names_.push_back(fmt::format("bucket_{}", i));
}

// The order of one total's additions is all that a reply tells of; a relaxed addition has it.
std::uint64_t BucketTotals::add_after(std::uint64_t delay, std::size_t bucket) {
  serverlab::delay(options_.delay_kind, static_cast<std::int64_t>(delay) * options_.delay_unit);
  return totals_[bucket].fetch_add(delay, std::memory_order_relaxed) + delay;
}

Figures BucketTotals::figures() const {
  Figures figures;
  for (std::size_t i = 0; i < totals_.size(); ++i) {
    figures.emplace_back(names_[i],
                         static_cast<double>(totals_[i].load(std::memory_order_relaxed)));
  }
  return figures;
}

}  // namespace serverlab
