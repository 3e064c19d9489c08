#pragma once

// How long CPUs were idle: what neither a process nor an interrupt nor the hypervisor used of them.

#include "base/clock.h"
#include "base/owned_fd.h"

#include <optional>
#include <span>
#include <vector>

namespace serverlab {

/// The idle time of some CPUs, by the kernel's cpuidle (`/sys/devices/system/cpu/cpu*/cpuidle`).
class IdleClock {
 public:
  /// The CPUs on which these processes, and the calling one, may run.
  explicit IdleClock(std::span<const int> pids);

  /// How many CPUs it watches.
  std::size_t cpus() const { return cpus_; }

  /// The idle time of all of them since the machine's start, in µs of resolution. A CPU counts what
  /// it idles once it is in use again. None if the kernel does not tell.
  std::optional<double> idle_s() const;

 private:
  std::size_t cpus_ = 0;
  std::vector<OwnedFd> states_;  // a file of each idle state of each CPU
};

}  // namespace serverlab
