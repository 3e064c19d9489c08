#pragma once

// THE list of engines. Whoever needs to know them reads it from here; other programs do so through
// `serverlab-server --list-json`.

#include "engines/engine.h"

#include <span>

namespace serverlab {

std::span<const Engine> engines();

/// What an engine needs and this machine lacks, a sentence; empty if nothing.
std::string lacking(const Engine& engine);

/// @return null if there is no engine of that name
const Engine* find_engine(std::string_view name);

}  // namespace serverlab
