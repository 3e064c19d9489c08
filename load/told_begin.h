#pragma once

// Parts of a load on several machines begin together. Each says that it is connected, and is told
// then, on standard input, at which instant of its own machine's clock the load begins. So it is
// with each slice, once nothing is in flight.

#include "base/clock.h"

#include <optional>
#include <string>

namespace serverlab {

class ToldBegin {
 public:
  /// @param fd from which the line is read: "begin NS", an instant of CLOCK_MONOTONIC
  explicit ToldBegin(int fd) : fd_(fd) {}

  /// Waits for the line until nothing has come for as long as `limit`.
  /// @return the instant, once the line has been read; the next call waits for another line
  /// @throws std::runtime_error if it is another line, if its instant is an hour away, or if it is
  ///     the first and its instant has passed, or if there will be none
  std::optional<Instant> await(Duration limit);

 private:
  int fd_;
  std::string line_;
  bool has_begun_ = false;
};

}  // namespace serverlab
