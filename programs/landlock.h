#pragma once

// What a server can no longer reach, by Landlock: the kernel asks when a file is opened, a
// connection is made, or another process is meant, and never when bytes are received or sent. So it
// costs a request nothing (docs/decisions/0028-a-filter-of-system-calls.md).

#include <string>

namespace serverlab {

/// How much of Landlock this kernel has: a number that rises with what can be restricted; 0: none.
int landlock_abi();

/// From now on and for good this thread, and the threads and processes that it makes, can open no
/// file, run none, connect to nothing by TCP, and trace, read and signal no process that is not
/// theirs, as far as the kernel's Landlock goes. What is open stays open, and threads that exist
/// stay as they are. keep_capabilities() comes first.
void confine_by_landlock();

/// What a server can reach that has confined itself, as this kernel's Landlock is not there or too
/// old: a sentence; empty if nothing.
/// @param is_filtered whether it has a filter of system calls, too
std::string lacking_confinement(bool is_filtered);

}  // namespace serverlab
