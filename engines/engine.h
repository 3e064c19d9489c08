#pragma once

// How a service is served.
//
// The engine rule: an engine's file holds all of its model's waiting, waking, scheduling and
// hand-over. What engines share (a connection, its session, its buffers) holds none of these. Two
// engines that truly have the same loop share it as a template over their Poller, and differ by
// the poller alone.

#include "engines/serve_options.h"
#include "net/stop_signal.h"
#include "services/service.h"

#include <string>
#include <string_view>

namespace serverlab {

/// A row of the catalogue.
struct Engine {
  std::string_view name;         // "epoll-level": on the command line, in experiments, in charts
  std::string_view model;        // one line: who waits, who runs the session
  std::string_view neighbour;    // the engine it is compared with; empty for the first of a family
  std::string_view difference;   // the one thing in which it differs from its neighbour
  std::string_view ignores;      // common settings that mean nothing to it, separated by spaces
  std::string_view knows;        // settings of single engines that it honours, separated by spaces
  bool sessions_stay;            // on the thread that has opened them
  bool counts_syscalls;          // its own; those of a library are not seen
  bool one_process = true;       // so that all its sessions can reach the state that they share
  bool in_kernel = false;        // it answers there: no session runs, no account has the CPU time
  bool connection_each = false;  // serves one to its end in each of --threads threads or processes

  std::string_view cannot;  // what it cannot do, in a few words; empty if there is nothing
  std::string_view serves;  // the one service that it serves; empty if it serves every one

  /// What it needs and this machine lacks, a sentence; empty if nothing. Null if it needs nothing.
  std::string (*lacking)() = nullptr;

  /// Serves until `stop` is raised and what was asked by then is answered, or the drain limit
  /// has passed.
  /// @throws std::exception if it cannot be set up, or cannot go on
  void (*serve)(const ServeOptions& options, const Service& service, const StopSignal& stop);
};

}  // namespace serverlab
