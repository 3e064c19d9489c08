#pragma once

// Threads beside the first one of a process, to which they leave the signals that end it, and that
// ask for what it has used.

#include "base/resource.h"
#include "net/blocked_signals.h"

#include <fmt/format.h>
#include <thread>
#include <utility>

namespace serverlab {

/// Makes a thread that takes none of the signals that are for the first one. That takes none
/// of them while it makes another; the kernel would then choose one that may be receiving, and
/// there the thread sanitizer puts a handler off until something is received.
/// @throws std::system_error if no thread can be made
template <class Work>
std::jthread make_thread(Work work) {
  const BlockedSignals inherited = {SIGTERM, SIGINT, SIGALRM, SIGUSR1, SIGUSR2};
  return std::jthread(std::move(work));
}

/// Why a program cannot have the threads that --threads asks for.
/// @param number of the thread that could not be made, counted from 1
inline Shortage<> cannot_create_thread(int number, int count, const std::exception& error) {
  return {resource_of(error).value_or(Resource::threads),
          fmt::format("cannot create thread {} of {}: {}; ask for fewer with --threads, or allow "
                      "the program more memory and threads (ulimit -v, ulimit -u)",
                      number, count, reason_of(error))};
}

}  // namespace serverlab
