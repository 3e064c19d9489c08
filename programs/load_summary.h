#pragma once

// What a person wants to know of a load that has ended, at a glance.

#include "programs/process.h"

namespace serverlab {

/// Prints a result (docs/results-schema.md), of one target or of several.
void print_load_summary(const Json& document);

}  // namespace serverlab
