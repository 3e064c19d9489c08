#pragma once

// What a server's threads did, counted by themselves: system calls per request without a tracer.
// Each thread adds to numbers of its own, which others may read meanwhile; they join the total when
// the thread ends, so that counting costs an increment.

#include <atomic>
#include <cstdint>
#include <optional>

namespace serverlab {

/// A number to which one thread adds, and which any thread may read: a load and a store, no
/// instruction that locks.
// NOLINTNEXTLINE(cppcoreguidelines-special-member-functions): to move it is to copy it
class Count {
 public:
  constexpr Count(std::uint64_t value = 0) : value_(value) {}
  Count(const Count& other) : Count(std::uint64_t{other}) {}
  Count& operator=(const Count& other) {
    value_.store(other, std::memory_order_relaxed);
    return *this;
  }
  ~Count() = default;

  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }

  Count& operator+=(std::uint64_t more) {
    value_.store(*this + more, std::memory_order_relaxed);
    return *this;
  }
  Count& operator++() { return *this += 1; }

 private:
  std::atomic<std::uint64_t> value_;
};

struct Counters {
  Count requests = 0;     // answered by sessions
  Count accepts = 0;      // accept4 calls that gave a connection
  Count receives = 0;     // recv calls
  Count sends = 0;        // send calls
  Count waits = 0;        // calls that wait for events: poll, epoll_wait, io_uring_enter
  Count changes = 0;      // calls that change what is waited for: epoll_ctl
  Count wakes = 0;        // calls that wake another thread: eventfd writes
  Count events = 0;       // events that the waits brought; events / waits is the batch size
  Count would_block = 0;  // receives and sends that moved nothing
  Count bytes_in = 0;
  Count bytes_out = 0;
  Count unanswered = 0;  // connections that the drain limit has ended before they were answered
  Count timed_out = 0;   // connections that --idle-timeout or --request-timeout has ended
  Count failed_connections = 0;  // ended by an exception: memory ran out, a session threw

  Counters& operator+=(const Counters& other);
};

/// The calling thread's own counters.
Counters& counters();

/// What all threads counted. Exact once the others do nothing any more.
Counters counters_total();

/// The same in a signal handler.
/// @return nothing if a thread, such as the interrupted one, has the lock
std::optional<Counters> try_counters_total();

}  // namespace serverlab
