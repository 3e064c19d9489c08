#pragma once

// The CPU time of another process: what a server used between two instants.

#include <vector>

namespace serverlab {

/// User and system time of a process and of the processes that it has forked, in seconds. Exact
/// but for those that have ended, which are known in ticks of 10 ms.
/// @throws std::runtime_error if the process has exited
double server_cpu_s(int pid);

}  // namespace serverlab
