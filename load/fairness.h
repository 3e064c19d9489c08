#pragma once

// Whether the server treated all connections equally.

#include <algorithm>
#include <cmath>

namespace serverlab {

/// Replies to each of many connections, as sums that merge by addition.
struct RequestCounts {
  double connections = 0;
  double sum = 0;
  double squares = 0;
  double min = 0;
  double max = 0;
  double alive = 0;    // connections that had a reply within the window
  double asked = 0;    // connections that had a request in flight within it
  double starved = 0;  // of those: connections that waited for long, and had no reply in it
  double failed = 0;   // of those: whose last request failed, or one timed out within it

  void add(double requests) {
    merge({.connections = 1,
           .sum = requests,
           .squares = requests * requests,
           .min = requests,
           .max = requests});
  }

  void merge(const RequestCounts& other) {
    if (other.connections == 0) return;
    min = connections == 0 ? other.min : std::min(min, other.min);
    max = std::max(max, other.max);
    connections += other.connections;
    alive += other.alive;
    asked += other.asked;
    starved += other.starved;
    failed += other.failed;
    sum += other.sum;
    squares += other.squares;
  }
};

/// Whether a connection without a reply in the window starved: it waited for half of the window,
/// and for a second at least.
constexpr bool is_starving(double waited_s, double window_s) {
  return waited_s >= std::max(1.0, 0.5 * window_s);
}

/// Requests per connection.
struct Fairness {
  double min = 0;
  double mean = 0;
  double max = 0;
  double cv = 0;    // standard deviation / mean
  double jain = 1;  // (Σx)² / (n Σx²): 1 if all are equal, 1/n if one has everything
};

inline Fairness fairness_of(const RequestCounts& counts) {
  if (counts.sum == 0) return {};
  const double mean = counts.sum / counts.connections;
  const double variance = std::max(0.0, counts.squares / counts.connections - mean * mean);
  return {.min = counts.min,
          .mean = mean,
          .max = counts.max,
          .cv = std::sqrt(variance) / mean,
          .jain = counts.sum * counts.sum / (counts.connections * counts.squares)};
}

}  // namespace serverlab
