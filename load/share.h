#pragma once

// How a load is dealt to its workers. A load may have parts that run on several machines, and a
// part has several workers; each of them knows the whole load, and takes what is its own: in turn,
// like cards. So the whole is the same, whatever the number of parts, processes and threads.

#include <cstdint>

namespace serverlab {

/// One part of a load; the parts are of one size, and their workers as many.
struct Part {
  std::uint32_t number = 1;  // counted from 1
  std::uint32_t of = 1;
};

/// What one of the workers of all parts takes.
struct Share {
  std::uint32_t worker = 0;  // counted from 0
  std::uint32_t workers = 1;

  /// How many of so many are its own.
  constexpr std::uint32_t count(std::uint32_t all) const {
    return all / workers + (worker < all % workers ? 1 : 0);
  }

  /// Which its i-th one is, counted from 0.
  constexpr std::uint32_t number(std::uint32_t i) const { return worker + i * workers; }

  /// Whether that one is its own.
  constexpr bool has(std::uint64_t number) const { return number % workers == worker; }
};

}  // namespace serverlab
