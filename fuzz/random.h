#pragma once

// Choices that follow from a seed, so that an input is made or cut the same way every time.

#include <cstddef>
#include <random>
#include <span>

namespace serverlab::fuzz {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  /// From 0 to below `limit`, which is at least 1.
  std::size_t below(std::size_t limit) { return engine_() % limit; }

  /// True once in so many times.
  bool once_in(std::size_t times) { return below(times) == 0; }

  template <class T, std::size_t size>
  const T& pick(const T (&choices)[size]) {
    return choices[below(size)];
  }

 private:
  std::mt19937 engine_;
};

}  // namespace serverlab::fuzz
