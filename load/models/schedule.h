#pragma once

// When requests arrive, as arithmetic: the k-th arrival is a function of the settings, the seed and
// k, and of nothing that happens while the load runs. No clock is read here.
//
// The total rate may change with time. Arrivals are laid out on the axis of the expected count
// Λ(t) = ∫ rate, where they are one apart (constant) or exponentially so (Poisson), and mapped back
// to time. Every worker computes all arrivals of the load, and takes those that are dealt to it.
// They are dealt in rounds of as many as there are clients, each from the first worker on: so a
// worker has as many of a round as it has clients.

#include "base/clock.h"
#include "load/share.h"

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
  /// @param share whose arrivals these are
  /// @param round how many arrivals a round has
  Schedule(Arrivals arrivals, RateProfile profile, std::uint64_t seed, Share share,
           std::uint32_t round);

  /// When the share's next arrival is due, since the beginning. Never less than the one before.
  Duration next();

 private:
  Arrivals arrivals_;
  RateProfile profile_;
  Share share_;
  std::uint32_t round_;
  std::mt19937_64 random_;
  std::uint64_t arrivals_so_far_ = 0;  // of all workers
  double count_ = 0;                   // where the last of them lies on the axis (Poisson)
};

}  // namespace serverlab
