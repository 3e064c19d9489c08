#pragma once

// The settings of a load on the command line, and the options that they make.

#include "base/settings.h"
#include "load/load_options.h"

#include <span>

namespace serverlab {

/// The settings of a load, apart from those of the workload and the sockets.
std::span<const Setting> load_settings();

/// @param cpus how many CPUs the generator may run on
/// @throws BadSetting, or std::runtime_error if a target cannot be resolved
LoadOptions load_options(const Settings& settings, int cpus);

}  // namespace serverlab
