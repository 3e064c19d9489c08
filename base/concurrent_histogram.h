#pragma once

// A histogram to which any number of threads, or of forked processes that share its memory, add.

#include "base/histogram.h"

#include <atomic>
#include <memory>

namespace serverlab {

class ConcurrentHistogram {
 public:
  /// Counts a value, from any thread; what lies outside [0, Histogram::highest_ns] is counted at
  /// the nearer end.
  void record(std::int64_t value_ns, std::uint64_t times = 1) {
    const std::int64_t value = std::clamp<std::int64_t>(value_ns, 0, Histogram::highest_ns);
    counts_[Buckets::index_of(value)].fetch_add(times, std::memory_order_relaxed);
  }

  /// What was counted, each value as the middle of its bucket: within 0.05 %, and exact below 2 us.
  std::unique_ptr<Histogram> total() const {
    auto total = std::make_unique<Histogram>();
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::uint64_t times = counts_[i].load(std::memory_order_relaxed);
      const std::int64_t middle = (Buckets::lowest_of(i) + Buckets::highest_of(i)) / 2;
      if (times > 0) total->record(middle, times);
    }
    return total;
  }

 private:
  std::array<std::atomic<std::uint64_t>, Buckets::index_of(Histogram::highest_ns) + 1> counts_{};
};

}  // namespace serverlab
