#pragma once

// What the probe itself costs, measured on this process: loops of what it traces, just before it is
// attached and just after.

#include "base/clock.h"

#include <memory>

namespace serverlab {

class Tracer;

/// What one of each costs more while the probe is attached, without what its programs take by their
/// own clock: the way to them and back. In a server it costs as much, to a tenth of it.
struct ProbeCosts {
  Duration call{};            // a system call
  Duration softirq{};         // interrupts' work
  Duration context_switch{};  // with the wake-up before it
  // What it takes to enter and leave the kernel without the probe: it is cut off as user mode,
  // since the tracepoints lie behind the entry and before the exit.
  Duration entry{};
  // What it takes more to leave the kernel after a switch: likewise.
  Duration resumption{};
};

/// To be made and used by one thread, which stays on one CPU, as do those that this makes.
class Calibration {
 public:
  /// @throws std::system_error
  Calibration();
  Calibration(const Calibration&) = delete;
  Calibration& operator=(const Calibration&) = delete;
  ~Calibration();

  /// Attaches a tracer that looks at this process, too. Takes some milliseconds.
  /// @param self this process's number among those that the tracer looks at
  /// @throws what Tracer::attach throws
  ProbeCosts attach(Tracer& tracer, std::size_t self);

 private:
  struct Loops;
  std::unique_ptr<Loops> loops_;
};

}  // namespace serverlab
