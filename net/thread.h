#pragma once

// Threads beside the first one of a process, to which they leave the signals that ask for its end.

#include "net/blocked_signals.h"

#include <thread>
#include <utility>

namespace serverlab {

/// Makes a thread that never takes SIGTERM or SIGINT. The first thread takes none while it makes
/// another; the kernel would then choose one that may be receiving, and there the thread sanitizer
/// puts a handler off until something is received.
/// @throws std::system_error if no thread can be made
template <class Work>
std::jthread make_thread(Work work) {
  const BlockedSignals inherited = {SIGTERM, SIGINT};
  return std::jthread(std::move(work));
}

}  // namespace serverlab
