#include "base/counters.h"

#include <mutex>
#include <utility>

namespace serverlab {
namespace {

struct ThreadCounters;

struct Threads {
  std::mutex mutex;
  Counters ended;                   // guarded by mutex, as is the list
  ThreadCounters* first = nullptr;  // of those that run
};

Threads& threads() {
  static constinit Threads all;  // there before a signal handler asks for it
  return all;
}

/// A thread's own, in a list that needs no memory but theirs.
struct ThreadCounters : Counters {
  ThreadCounters() {
    const std::scoped_lock lock(threads().mutex);
    next = std::exchange(threads().first, this);
    if (next != nullptr) next->previous = this;
  }
  ThreadCounters(const ThreadCounters&) = delete;
  ThreadCounters& operator=(const ThreadCounters&) = delete;
  ~ThreadCounters() {
    const std::scoped_lock lock(threads().mutex);
    threads().ended += *this;
    (previous == nullptr ? threads().first : previous->next) = next;
    if (next != nullptr) next->previous = previous;
  }

  ThreadCounters* previous = nullptr;
  ThreadCounters* next = nullptr;
};

// While its mutex is held.
Counters total_of(const Threads& all) {
  Counters total = all.ended;
  for (const ThreadCounters* thread = all.first; thread != nullptr; thread = thread->next)
    total += *thread;
  return total;
}

}  // namespace

Counters& Counters::operator+=(const Counters& other) {
  requests += other.requests;
  accepts += other.accepts;
  receives += other.receives;
  sends += other.sends;
  waits += other.waits;
  changes += other.changes;
  wakes += other.wakes;
  events += other.events;
  would_block += other.would_block;
  bytes_in += other.bytes_in;
  bytes_out += other.bytes_out;
  timed_out += other.timed_out;
  failed_connections += other.failed_connections;
  unanswered += other.unanswered;
  return *this;
}

Counters& counters() {
  thread_local ThreadCounters own;
  return own;
}

Counters counters_total() {
  const std::scoped_lock lock(threads().mutex);
  return total_of(threads());
}

std::optional<Counters> try_counters_total() {
  const std::unique_lock lock(threads().mutex, std::try_to_lock);
  if (!lock) return std::nullopt;
  return total_of(threads());
}

}  // namespace serverlab
