#pragma once

// Whether connections were served alike.

#include <algorithm>
#include <cmath>

namespace serverlab {

/// How many requests each of many connections had answered, as sums that merge by addition.
struct RequestCounts {
  double connections = 0;
  double alive = 0;  // connections that had an answer at all
  double sum = 0;
  double squares = 0;
  double min = 0;
  double max = 0;

  void add(double requests) {
    merge({1, requests > 0 ? 1.0 : 0, requests, requests * requests, requests, requests});
  }

  void merge(const RequestCounts& other) {
    if (other.connections == 0) return;
    min = connections == 0 ? other.min : std::min(min, other.min);
    max = std::max(max, other.max);
    connections += other.connections;
    alive += other.alive;
    sum += other.sum;
    squares += other.squares;
  }
};

/// Requests per connection.
struct Fairness {
  double min = 0;
  double mean = 0;
  double max = 0;
  double cv = 0;     // standard deviation / mean
  double jain = 1;   // (Σx)² / (n Σx²): 1 when all are alike, 1/n when one has everything
  double alive = 0;  // connections that had an answer at all
};

inline Fairness fairness_of(const RequestCounts& counts) {
  if (counts.sum == 0) return {};
  const double mean = counts.sum / counts.connections;
  const double variance = std::max(0.0, counts.squares / counts.connections - mean * mean);
  return {.min = counts.min,
          .mean = mean,
          .max = counts.max,
          .cv = std::sqrt(variance) / mean,
          .jain = counts.sum * counts.sum / (counts.connections * counts.squares),
          .alive = counts.alive};
}

}  // namespace serverlab
