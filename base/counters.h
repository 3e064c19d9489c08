#pragma once

// What a server's threads did, counted by themselves: system calls per request without a tracer.
// Each thread adds to plain numbers of its own; they join the total when the thread ends, so that
// counting costs an increment.

#include <cstdint>

namespace serverlab {

struct Counters {
  std::uint64_t requests = 0;     // answered by sessions
  std::uint64_t accepts = 0;      // accept4 calls that gave a connection
  std::uint64_t receives = 0;     // recv calls
  std::uint64_t sends = 0;        // send calls
  std::uint64_t waits = 0;        // calls that wait for events: poll, epoll_wait, io_uring_enter
  std::uint64_t changes = 0;      // calls that change what is waited for: epoll_ctl
  std::uint64_t wakes = 0;        // calls that wake another thread: eventfd writes
  std::uint64_t events = 0;       // events that the waits brought; events / waits is the batch size
  std::uint64_t would_block = 0;  // receives and sends that moved nothing
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;

  Counters& operator+=(const Counters& other);
};

/// The calling thread's own counters.
Counters& counters();

/// What all threads that have ended counted, and the calling one. Exact once the others are joined.
Counters counters_total();

}  // namespace serverlab
