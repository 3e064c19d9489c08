#pragma once

// Numbers in a row made numbers that look random: for workloads that can be repeated.

#include <cstdint>

namespace serverlab {

/// One step of SplitMix64 (Steele, Lea and Flood, 2014): another number for each number.
constexpr std::uint64_t mixed(std::uint64_t number) {
  number += 0x9E37'79B9'7F4A'7C15;
  number = (number ^ number >> 30) * 0xBF58'476D'1CE4'E5B9;
  number = (number ^ number >> 27) * 0x94D0'49BB'1331'11EB;
  return number ^ number >> 31;
}

}  // namespace serverlab
