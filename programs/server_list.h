#pragma once

// The catalogues in print: for people, and as JSON for programs.

#include "base/settings.h"
#include "programs/process.h"

#include <span>

namespace serverlab {

/// Engines and services, on stdout.
void print_list();

/// {engines: […], services: […], settings: […]} (docs/results-schema.md)
/// @param tables the settings of the server's command line
Json list_json(std::span<const std::span<const Setting>> tables);

/// [{name, values, fallback, meaning, group}, …]
Json settings_json(std::span<const std::span<const Setting>> tables);

}  // namespace serverlab
