#include "load/models/schedule.h"

#include <algorithm>
#include <cmath>

namespace serverlab {
namespace {

constexpr double year_s = 365 * 24 * 3600.0;  // longer than any load, and short of an overflow

// A linear ramp: Λ(t) = from·t + slope·t²/2, solved for t in the form that does not cancel when
// the slope is small.
double linear_time_s(const RateProfile& profile, double count) {
  const double slope = (profile.to_per_s - profile.from_per_s) / seconds(profile.over);
  const double root = std::sqrt(profile.from_per_s * profile.from_per_s + 2 * slope * count);
  return count == 0 ? 0 : 2 * count / (profile.from_per_s + root);
}

// Equal steps from `from` to `to`, both included.
double stepped_time_s(const RateProfile& profile, double count) {
  const double step_s = seconds(profile.over) / profile.steps;
  double before_s = 0;
  for (int step = 0; step < profile.steps; ++step) {
    const double progress =
        profile.steps == 1 ? 1 : static_cast<double>(step) / (profile.steps - 1);
    const double rate_per_s =
        profile.from_per_s + progress * (profile.to_per_s - profile.from_per_s);
    if (count < rate_per_s * step_s) return before_s + count / rate_per_s;
    count -= rate_per_s * step_s;
    before_s += step_s;
  }
  return before_s;
}

}  // namespace

// Linear or stepped, the mean rate of a ramp lies in the middle.
double RateProfile::ramp_count() const {
  const double mean_per_s = steps == 1 ? to_per_s : (from_per_s + to_per_s) / 2;
  return mean_per_s * seconds(over);
}

Duration RateProfile::time_of(double count) const {
  const double ramp = ramp_count();
  if (count >= ramp) return over + from_seconds(std::min(year_s, (count - ramp) / to_per_s));
  return from_seconds(steps > 0 ? stepped_time_s(*this, count) : linear_time_s(*this, count));
}

Schedule::Schedule(Arrivals arrivals, RateProfile profile, std::uint64_t seed, Share share,
                   std::uint32_t round) :
    arrivals_(arrivals),
    profile_(profile),
    share_(share),
    round_(round),
    random_(seed * 0x9E3779B97F4A7C15ULL) {}  // far apart for neighbouring seeds

Duration Schedule::next() {
  std::uint64_t arrival = 0;
  do {
    arrival = arrivals_so_far_++;
    if (arrivals_ == Arrivals::poisson)
      count_ -= std::log1p(-std::generate_canonical<double, 53>(random_));
  } while (!share_.has(arrival % round_));
  return profile_.time_of(arrivals_ == Arrivals::poisson ? count_ : static_cast<double>(arrival));
}

}  // namespace serverlab
