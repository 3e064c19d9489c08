#pragma once

// A filter of system calls (seccomp(2)) for what Landlock does not restrict. Every system call
// passes it, so that it costs a request time (docs/decisions/0028-a-filter-of-system-calls.md).

namespace serverlab {

/// What a server goes on to need of what is refused otherwise.
struct NeededCalls {
  bool ring = false;  // those that pass operations to an io_uring that is there
  bool bpf = false;
};

/// From now on and for good a call fails with EPERM by which a process would become another, reach
/// other hosts and processes, or change the machine: of all threads of this process, and of the
/// threads and processes that they make. No socket can be made: those that are there stay.
/// keep_capabilities() comes first.
/// @return whether the kernel has taken the filter
bool filter_calls(NeededCalls needed);

}  // namespace serverlab
