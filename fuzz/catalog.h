#pragma once

// The one list of what is fuzzed; `serverlab-fuzz --list` prints it.

#include "fuzz/target.h"

namespace serverlab::fuzz {

std::span<const Target> targets();

/// @return null if there is no target of that name
const Target* find_target(std::string_view name);

}  // namespace serverlab::fuzz
