#include "load/segments.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace serverlab {
namespace {

constexpr int slice_warmup_share = 10;  // a tenth of a slice is not measured

// A square whose rows hold each target once, and whose columns do, too: rotations of one drawn
// order, in a drawn sequence.
std::vector<std::uint32_t> latin_square(std::uint32_t targets, std::mt19937_64& random) {
  std::vector<std::uint32_t> first(targets);
  std::iota(first.begin(), first.end(), 0U);
  std::vector<std::uint32_t> rotations = first;
  std::ranges::shuffle(first, random);
  std::ranges::shuffle(rotations, random);
  std::vector<std::uint32_t> square;
  for (const std::uint32_t rotation : rotations) {
    for (std::uint32_t i = 0; i < targets; ++i) square.push_back(first[(i + rotation) % targets]);
  }
  return square;
}

}  // namespace

std::vector<std::uint32_t> slice_order(std::uint32_t targets, std::uint32_t rounds,
                                       SliceOrder order, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> turns;
  while (turns.size() < std::size_t{rounds} * targets) {
    if (order == SliceOrder::latin) {
      std::ranges::copy(latin_square(targets, random), std::back_inserter(turns));
    } else {
      for (std::uint32_t i = 0; i < targets; ++i) turns.push_back(i);
      for (std::uint32_t i = targets; i > 0; --i) turns.push_back(i - 1);
    }
  }
  turns.resize(std::size_t{rounds} * targets);
  return turns;
}

std::vector<Segment> make_segments(const LoadOptions& options) {
  if (options.slice == Duration::zero()) {
    return {{.target = 0,
             .warmup = options.warmup,
             .until_steady = options.warmup_until_steady,
             .window = options.window_limit(),
             .interval = std::chrono::seconds(1)}};
  }
  const auto targets = static_cast<std::uint32_t>(options.targets.size());
  const Duration warmup = options.slice / slice_warmup_share;
  const Duration window = options.slice - warmup;
  const auto rounds =
      static_cast<std::uint32_t>((options.duration + options.slice - Duration(1)) / options.slice);
  std::vector<Segment> segments;
  for (std::uint32_t target = 0; target < targets; ++target) {
    segments.push_back({.target = target,
                        .warmup = options.warmup,
                        .until_steady = options.warmup_until_steady,
                        .window = {},
                        .interval = window});
  }
  for (const std::uint32_t target :
       slice_order(targets, rounds, options.order, options.model.seed)) {
    segments.push_back({.target = target,
                        .warmup = warmup,
                        .until_steady = false,
                        .window = window,
                        .interval = window});
  }
  if (options.begin_is_told) {
    segments.push_back(
        {.target = 0, .warmup = {}, .until_steady = false, .window = {}, .interval = window});
  }
  return segments;
}

}  // namespace serverlab
