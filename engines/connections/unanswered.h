#pragma once

// Which connections the drain limit ends unanswered, for every engine alike.
//
// A connection is unanswered if bytes have come from its client that its session was not offered,
// if its session is at work or has more to say, or if something that it said has not left the
// server. What came and what left, the kernel knows (tcp_totals), wherever an engine keeps it; the
// rest is in the record of its conversation. So it can be asked by another thread, or by a signal
// handler, while a session is at work.

#include "base/counters.h"

#include <optional>

namespace serverlab {

/// From now on each connection that ends unanswered is counted (Counters::unanswered).
void count_unanswered();

/// Shuts both directions of a connection down, on which a thread or the kernel is still at work.
/// After the drain limit it first decides whether the connection is unanswered: if its peer sends
/// on, the kernel resets it, and no longer says what came and what left. From any thread.
void end_both_ways(int fd);

/// Counts a connection that ends without a session, if its client has asked something.
void count_if_unanswered(int fd);

/// What all threads counted, with the connections that are open and unanswered now, on which
/// nothing is sent any more: for a signal handler that ends a server without ending them.
/// @return nothing if a thread, such as the interrupted one, has a lock
std::optional<Counters> try_counters_total_now();

}  // namespace serverlab
