#pragma once

// Which slices count. Other work takes the CPUs for a while, and decides the figures of the slices
// that it meets: those are marked by what took the CPUs, never by what the server did.

#include "load/result.h"

#include <vector>

namespace serverlab {

/// The p99 send lag, in ns, up to which a generator keeps its schedule.
double send_lag_limit_ns(double latency_p50_ns);

/// Marks the slices of one target in which the generator was late, if it has a schedule, and those
/// that do not count: the late ones, and those in which other work took `other_cpus_max` more than
/// in the quieter quarter of this target's slices. What is usual differs between engines, since the
/// kernel charges a part of its own work to no process.
void mark_disturbed(std::vector<IntervalRow>& slices, bool has_schedule);

}  // namespace serverlab
