#pragma once

// The border at which an exception ends one connection and not the server. What a peer does is a
// value; but if memory runs out, or a session throws, that is an exception. Code that works for one
// connection runs within this border, and leaves all other connections as they were.

#include "engines/serve_options.h"

namespace serverlab {

/// Counts a connection that an exception has ended, and reports the first one. Call it where the
/// exception is handled, from any thread.
void count_failed_connection(const ServeOptions& options) noexcept;

/// Calls `work`, which is done for one connection alone.
/// @return whether it threw nothing; if it did, the caller ends that connection
template <class Work>
bool guarded(const ServeOptions& options, Work work) noexcept {
  try {
    work();
    return true;
  } catch (...) {
    count_failed_connection(options);
    return false;
  }
}

}  // namespace serverlab
