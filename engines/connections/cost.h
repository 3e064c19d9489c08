#pragma once

// What a connection's turns cost the thread that runs them, and whether that is too much for a
// thread on which others wait.

#include "base/clock.h"

namespace serverlab {

/// Belongs to the thread that has the connection.
class Cost {
 public:
  /// Handing a connection to another thread and back costs some 10 us: two switches and their
  /// wake-ups. A turn of several times that is expensive, a turn of about that is cheap. Between
  /// the two a connection stays what it was, so that one near a threshold does not alternate.
  static constexpr Duration expensive_above = std::chrono::microseconds(50);
  static constexpr Duration cheap_below = std::chrono::microseconds(20);

  /// Records how long a turn took in wall-clock time: a session that sleeps occupies its thread,
  /// too.
  void add(Duration turn) {
    mean_ = measured_ ? mean_ + (turn - mean_) / weight : turn;
    measured_ = true;
    if (mean_ > expensive_above) is_expensive_ = true;
    if (mean_ < cheap_below) is_expensive_ = false;
  }

  /// A connection counts as expensive until it has been measured.
  bool is_expensive() const { return is_expensive_; }

 private:
  static constexpr int weight = 8;  // of what was, against 1 of what is: RFC 6298's for round trips

  Duration mean_{};
  bool measured_ = false;
  bool is_expensive_ = true;
};

}  // namespace serverlab
