#include "base/histogram.h"

#include <cmath>

namespace serverlab {

void Histogram::merge(const Histogram& other) {
  if (other.count_ == 0) return;
  for (std::size_t i = other.first_; i <= other.last_; ++i) counts_[i] += other.counts_[i];
  first_ = std::min(first_, other.first_);
  last_ = std::max(last_, other.last_);
  min_ns_ = std::min(min_ns_, other.min_ns_);
  max_ns_ = std::max(max_ns_, other.max_ns_);
  count_ += other.count_;
  sum_ns_ += other.sum_ns_;
}

void Histogram::clear() {
  if (count_ == 0) return;
  std::fill(counts_.begin() + static_cast<std::ptrdiff_t>(first_),
            counts_.begin() + static_cast<std::ptrdiff_t>(last_) + 1, 0);
  first_ = size;
  last_ = 0;
  min_ns_ = highest_ns;
  max_ns_ = 0;
  count_ = 0;
  sum_ns_ = 0;
}

std::int64_t Histogram::quantile_ns(double quantile, std::uint64_t unanswered) const {
  const auto total = static_cast<double>(count_ + unanswered);
  const auto rank =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(quantile * total)));
  if (rank > count_) return -1;
  std::uint64_t seen = 0;
  for (std::size_t i = first_; i <= last_; ++i) {
    seen += counts_[i];
    if (seen >= rank) return Buckets::highest_of(i);
  }
  return max_ns_;
}

}  // namespace serverlab
