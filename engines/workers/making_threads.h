#pragma once

// Threads that an engine makes at its start, a fixed number of them.

#include "net/thread.h"

#include <fmt/format.h>
#include <stdexcept>
#include <system_error>
#include <vector>

namespace serverlab {

/// Calls `start` `count` times, each to add one thread to `threads`.
/// @throws std::runtime_error if so many cannot be had; those that were made go on
template <class Start>
void make_threads(int count, std::vector<std::jthread>& threads, Start start) {
  for (int i = 0; i < count; ++i) {
    try {
      start(threads);
    } catch (const std::exception& error) {
      throw std::runtime_error(
          fmt::format("cannot make thread {} of {}: {}", i + 1, count, error.what()));
    }
  }
}

}  // namespace serverlab
