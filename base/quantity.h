#pragma once

// Numbers with units, as people write them on a command line and in an experiment file: "10s",
// "1 ms", "64 B", "16KiB". What cannot be read throws BadQuantity, whose text says what was given
// and what is allowed.

#include "base/clock.h"

#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace serverlab {

struct BadQuantity : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// "10s", "1.5 ms", "250us", "80 ns", "2 min".
/// @throws BadQuantity without a unit, if negative, or above a century
Duration parse_duration(std::string_view text);

/// "64", "64 B", "16 KiB", "1MiB", "10 kB".
/// @throws BadQuantity if negative, fractional in bytes, or above 1 TiB
std::uint64_t parse_size(std::string_view text);

/// "0,2-3" → {0, 2, 3}.
/// @throws BadQuantity
std::vector<int> parse_cpus(std::string_view text);

}  // namespace serverlab
