#pragma once

// When requests arrive, as arithmetic: the k-th arrival is a function of the settings, the seed and
// k, and of nothing that happens while the load runs. No clock is read here.
//
// The total rate may change with time. Arrivals are laid out on the axis of the expected count
// Λ(t) = ∫ rate, where they are one apart (constant) or exponentially so (Poisson), and mapped back
// to time; workers share that axis.

#include "base/clock.h"

#include <cstdint>
#include <random>

namespace serverlab {

enum class Arrivals { constant, poisson };

/// The total rate over time: `from` until the ramp begins, then to `to`, linearly or in equal
/// steps; then `to`.
struct RateProfile {
  double from_per_s = 0;
  double to_per_s = 0;
  Duration over{};  // zero: the rate is `to` from the beginning
  int steps = 0;    // zero: linear

  /// @return Λ at `over`: the arrivals to expect while the rate changes
  double ramp_count() const;

  /// The inverse of Λ: when `count` arrivals are to be expected.
  /// @param count not negative
  Duration time_of(double count) const;
};

class Schedule {
 public:
  /// @param worker of `workers` that share the rate, counted from 0
  Schedule(Arrivals arrivals, RateProfile profile, std::uint64_t seed, std::uint32_t worker,
           std::uint32_t workers);

  /// When the next arrival is due, since the beginning. Never less than the one before.
  Duration next();

 private:
  Arrivals arrivals_;
  RateProfile profile_;
  std::uint32_t workers_;
  std::mt19937_64 random_;
  double count_;  // where the next arrival (constant) or the last one (Poisson) lies on the axis
};

}  // namespace serverlab
