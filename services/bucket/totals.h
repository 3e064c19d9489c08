#pragma once

// What all sessions of a bucket server share: the totals, and how the delays are taken. A total is
// an atomic integer, as in the report; so no lock is held while a delay is taken, nor afterwards.

#include "base/delay.h"
#include "services/service.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace serverlab {

struct BucketOptions {
  std::size_t buckets = 1;
  DelayKind delay_kind = DelayKind::spin;
  Duration delay_unit = std::chrono::seconds(1);
  bool one_request = false;  // a connection: then the server closes it
};

/// The longest delay that is accepted, so that no request occupies a thread for ever.
constexpr Duration bucket_delay_max = std::chrono::minutes(1);

class BucketTotals {
 public:
  explicit BucketTotals(const BucketOptions& options);

  const BucketOptions& options() const { return options_; }

  /// The longest delay that is taken, in units of the options.
  std::uint64_t delay_max() const { return delay_units_max_; }

  /// Takes the delay, in units of the options, then adds it. @return the new total
  std::uint64_t add_after(std::uint64_t delay, std::size_t bucket);

  /// The total of each bucket, as `bucket_0`, `bucket_1` …
  Figures figures() const;

 private:
  BucketOptions options_;
  std::uint64_t delay_units_max_;
  std::vector<std::atomic<std::uint64_t>> totals_;
  std::vector<std::string> names_;
};

}  // namespace serverlab
