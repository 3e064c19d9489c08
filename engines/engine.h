#pragma once

// How a service is served.
//
// An engine's file shows its threads and queues, and does what no other engine does. Engines share
// loops, workers and connections: a loop waits, workers run sessions, a connection never waits. Two
// engines with the same loop differ by the poller or the workforce that the loop is given.

#include "engines/serve_options.h"
#include "engines/setting_names.h"
#include "net/stop_signal.h"
#include "services/service.h"

#include <optional>
#include <string>
#include <string_view>

namespace serverlab {

/// A row of the catalogue.
struct Engine {
  std::string_view name;        // "epoll-level": on the command line, in experiments, in charts
  std::string_view model;       // one line: what waits, what runs the session
  std::string_view neighbour;   // the engine it is compared with; empty for the first of a family
  std::string_view difference;  // the one thing in which it differs from its neighbour
  SettingNames unsupported_settings;  // common settings that would do nothing
  SettingNames extra_settings;        // settings of single engines that it supports
  bool sessions_stay;                 // on the thread that has opened them
  bool counts_syscalls;               // its own; those of a library are not seen
  bool one_process = true;  // so that all its sessions can reach the state that they share
  bool has_ring = false;    // of io_uring, which takes what it does without a system call each
  bool in_kernel = false;   // no session runs here, and no account has the CPU time
  bool thread_per_connection =
      false;  // each of --threads threads or processes serves one at a time

  std::string_view limitation;          // what it cannot do, one line; empty if nothing
  std::optional<int> descriptor_limit;  // it serves only descriptors below this one
  std::string_view serves;              // the only service that it serves; empty: every one

  /// What it needs and this machine does not have, a sentence; empty if nothing is missing. Null if
  /// it needs nothing special.
  std::string (*missing_requirement)() = nullptr;

  /// Serves until `stop` is raised and the requests that have arrived by then have their replies,
  /// or the drain limit has passed.
  /// @throws std::exception if it cannot be set up, or cannot go on
  void (*serve)(const ServeOptions& options, const Service& service, const StopSignal& stop);
};

}  // namespace serverlab
