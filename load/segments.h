#pragma once

// A load's time, laid out: which target is loaded when.
//
// An ordinary load is one segment. With slices the load moves from target to target in a balanced
// order, so that a machine whose speed drifts treats all alike; before the first slice each target
// is warmed up once. Where the beginning of each is told, an empty segment follows: its border ends
// the last slice before connections are closed.

#include "load/load_options.h"

#include <vector>

namespace serverlab {

/// A stretch of the load's time, against one target. An ordinary load has one segment.
struct Segment {
  std::uint32_t target = 0;
  Duration warmup{};
  bool until_steady = false;  // the warm-up ends when it is steady; `warmup` is its limit
  Duration window{};
  Duration interval{};  // of the window: how often a tally is handed over
};

std::vector<Segment> make_segments(const LoadOptions& options);

/// `rounds` rounds, in each of which every target has one turn.
///
///   abba   forwards, then backwards
///   latin  in each n rounds every target has each place once, in an order drawn from the seed
std::vector<std::uint32_t> slice_order(std::uint32_t targets, std::uint32_t rounds,
                                       SliceOrder order, std::uint64_t seed);

}  // namespace serverlab
