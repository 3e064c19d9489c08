#pragma once

// A load, from its options to its result.

#include "load/load_events.h"
#include "load/load_options.h"
#include "load/result.h"
#include "net/stop_signal.h"
#include "services/workload.h"

namespace serverlab {

/// Runs a load to its end, or until `stop` is raised.
/// @throws std::runtime_error if no target accepts, or a worker cannot be set up
LoadResult run_load(const LoadOptions& options, const Workload& workload, const StopSignal& stop,
                    const LoadEvents& events);

}  // namespace serverlab
