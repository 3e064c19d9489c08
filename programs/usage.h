#pragma once

// What the kernel counts for a process and shows to that process alone: /proc forgets a thread's
// context switches when the thread ends.

namespace serverlab {

/// From now on SIGUSR1 makes this process print the event `usage`: the context switches of all its
/// threads and of the child processes it has waited for, those that have ended included. Nothing is
/// printed while what was printed before is not read.
void report_usage_on_request();

}  // namespace serverlab
