#pragma once

// The ids that a walking reader asks for: 0, 1, 2 … until one is not there yet, then from 0 again.
// What it has asked for by then is still answered in the old order.

#include <cstdint>
#include <optional>

namespace serverlab::forum {

class Walk {
 public:
  /// The id to ask for next.
  std::uint64_t ask() { return to_ask_++; }

  /// The id that the oldest unanswered request asked for.
  std::uint64_t answer() {
    const std::uint64_t id = to_answer_++;
    turn_if_reached();
    return id;
  }

  /// The id that was answered last is not there.
  void turn_back() {
    if (turning_at_) return;
    turning_at_ = to_ask_;
    to_ask_ = 0;
    turn_if_reached();
  }

 private:
  void turn_if_reached() {
    if (turning_at_ != to_answer_) return;
    to_answer_ = 0;
    turning_at_.reset();
  }

  std::uint64_t to_ask_ = 0;
  std::uint64_t to_answer_ = 0;
  std::optional<std::uint64_t> turning_at_;  // 0 was asked for in the place of this id
};

}  // namespace serverlab::forum
