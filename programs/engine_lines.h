#pragma once

// How much there is to read of each engine. The table is made by CMake, from the sources.

#include <string_view>

namespace serverlab {

/// The lines of an engine's own file that are code: no comment, and not blank. What it shares with
/// others is not counted.
int lines_of(std::string_view engine);

}  // namespace serverlab
