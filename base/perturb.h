#pragma once

// Random delays where threads hand something over, so that orders of events come about that are
// rare. In debug and sanitizer builds, if the variable SERVERLAB_PERTURB has a number, the seed; in
// a release build there is nothing.

namespace serverlab {

/// Sleeps for a fraction of a millisecond, or does nothing. From any thread, but not in the handler
/// of a signal.
void perturb_now();

#ifdef NDEBUG
inline void perturb() {}
#else
inline void perturb() { perturb_now(); }
#endif

}  // namespace serverlab
