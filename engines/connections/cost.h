#pragma once

// What a connection's turns cost the thread that runs them, and whether that is too much for a
// thread on which others wait.

#include "base/clock.h"

namespace serverlab {

class Cost {
 public:
  /// To hand a connection to another thread and be handed it back costs some 10 us: two switches
  /// and their wake-ups. What takes several times that is dear, what takes about that is cheap; in
  /// between it stays what it was, so that who is near a threshold does not go to and fro.
  static constexpr Duration dear_above = std::chrono::microseconds(50);
  static constexpr Duration cheap_below = std::chrono::microseconds(20);

  /// A turn has taken so long, by the clock on the wall: one that sleeps keeps its thread as well.
  void add(Duration turn) {
    mean_ = measured_ ? mean_ + (turn - mean_) / weight : turn;
    measured_ = true;
    if (mean_ > dear_above) dear_ = true;
    if (mean_ < cheap_below) dear_ = false;
  }

  /// Before the first turn it is: nobody waits for what is not known.
  bool dear() const { return dear_; }

 private:
  static constexpr int weight = 8;  // of what was, against 1 of what is: RFC 6298's for round trips

  Duration mean_{};
  bool measured_ = false;
  bool dear_ = true;
};

}  // namespace serverlab
