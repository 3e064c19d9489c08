#pragma once

// The CPU time of another process, exact and cheap: what a server has used between two instants.

#include <vector>

namespace serverlab {

/// User and system time of a process and of the processes that it has forked, in seconds.
/// @throws std::runtime_error if it is gone
double server_cpu_s(int pid);

}  // namespace serverlab
