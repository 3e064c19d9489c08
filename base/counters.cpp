#include "base/counters.h"

#include <mutex>

namespace serverlab {
namespace {

struct Ended {
  std::mutex mutex;
  Counters counters;  // guarded by mutex
};

Ended& ended() {
  static Ended threads;
  return threads;
}

struct ThreadCounters : Counters {
  ThreadCounters() = default;
  ThreadCounters(const ThreadCounters&) = delete;
  ThreadCounters& operator=(const ThreadCounters&) = delete;
  ~ThreadCounters() {
    const std::scoped_lock lock(ended().mutex);
    ended().counters += *this;
  }
};

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
  return *this;
}

Counters& counters() {
  thread_local ThreadCounters own;
  return own;
}

Counters counters_total() {
  const std::scoped_lock lock(ended().mutex);
  Counters total = ended().counters;
  total += counters();
  return total;
}

}  // namespace serverlab
