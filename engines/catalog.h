#pragma once

// The one list of engines. Other programs read it through `serverlab-server --list-json`.

#include "engines/engine.h"

#include <span>

namespace serverlab {

std::span<const Engine> engines();

/// What the engine needs and this machine does not have, a sentence; empty if nothing is missing.
std::string missing_requirement(const Engine& engine);

/// @return null if there is no engine of that name
const Engine* find_engine(std::string_view name);

}  // namespace serverlab
