#pragma once

// A latency histogram with the geometry of HdrHistogram (3 significant digits, 1 ns to 1 h), so
// that its encoding is read by every HdrHistogram library. Plain data without pointers: it can lie
// in memory that processes share, and two of them merge by addition, which percentiles do not.
//
//   index:   0 … 2047   2048 … 3071   3072 … 4095   …
//   width:   1          2             4             …
//
// From 2048 ns on, a value's bucket is never wider than value / 1024; below, it is exact.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace serverlab {

/// Which values share a bucket.
struct Buckets {
  static constexpr int sub_bits = 11;  // 2048 sub-buckets hold 2 × 10³ steps: 3 significant digits
  static constexpr std::uint64_t subs = 1U << sub_bits;

  static constexpr std::size_t index_of(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    const int bucket = 64 - std::countl_zero(bits | (subs - 1)) - sub_bits;
    return (static_cast<std::size_t>(bucket) << (sub_bits - 1)) + (bits >> bucket);
  }

  static constexpr std::int64_t lowest_of(std::size_t index) {
    if (index < subs) return static_cast<std::int64_t>(index);
    const auto bucket = static_cast<int>(index >> (sub_bits - 1)) - 1;
    const std::uint64_t sub = (index & (subs / 2 - 1)) + subs / 2;
    return static_cast<std::int64_t>(sub << bucket);
  }

  static constexpr std::int64_t highest_of(std::size_t index) { return lowest_of(index + 1) - 1; }
};

class Histogram {
 public:
  static constexpr int significant_digits = 3;
  static constexpr std::int64_t lowest_ns = 1;
  static constexpr std::int64_t highest_ns = 3'600'000'000'000;

  /// Counts a value; what lies outside [0, highest_ns] is counted at the nearer end.
  void record(std::int64_t value_ns, std::uint64_t times = 1) {
    const std::int64_t value = std::clamp<std::int64_t>(value_ns, 0, highest_ns);
    const std::size_t index = Buckets::index_of(value);
    counts_[index] += times;
    first_ = std::min(first_, index);
    last_ = std::max(last_, index);
    min_ns_ = std::min(min_ns_, value);
    max_ns_ = std::max(max_ns_, value);
    count_ += times;
    sum_ns_ += static_cast<double>(value) * static_cast<double>(times);
  }

  void merge(const Histogram& other);
  void clear();

  std::uint64_t count() const { return count_; }
  std::int64_t min_ns() const { return count_ == 0 ? 0 : min_ns_; }
  std::int64_t max_ns() const { return max_ns_; }
  double mean_ns() const { return count_ == 0 ? 0 : sum_ns_ / static_cast<double>(count_); }
  double sum_ns() const { return sum_ns_; }

  /// The largest value in the bucket of the value whose rank is round(quantile × total):
  /// HdrHistogram's rule, so that its libraries give the same percentiles. `total` may exceed the
  /// recorded count by requests that were never answered; a rank beyond the recorded ones gives -1.
  /// @param quantile in [0, 1]
  std::int64_t quantile_ns(double quantile, std::uint64_t unanswered = 0) const;

  // The counts by bucket, for the codec and for iteration.
  std::uint64_t count_at(std::size_t index) const { return counts_[index]; }
  std::size_t first_index() const { return first_; }
  std::size_t last_index() const { return last_; }

 private:
  static constexpr std::size_t size = Buckets::index_of(highest_ns) + 1;

  std::array<std::uint64_t, size> counts_{};
  // The touched range: merging and clearing cost what was used, not what there is.
  std::size_t first_ = size;
  std::size_t last_ = 0;

  std::int64_t min_ns_ = highest_ns;
  std::int64_t max_ns_ = 0;
  std::uint64_t count_ = 0;
  double sum_ns_ = 0;
};

}  // namespace serverlab
