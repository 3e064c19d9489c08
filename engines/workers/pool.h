#pragma once

// The workforce of an engine that offloads: N threads, made once, that take from one queue. It
// belongs to the thread of the loop; what a worker may call says so.

#include "engines/workers/crew.h"
#include "engines/workers/job_queue.h"

namespace serverlab {

/// Serves a job with the buffers of the thread that calls it.
using ServeJob = std::function<void(const Job&, Scratch&)>;

class Pool {
 public:
  static constexpr bool measures = false;

  Pool(const ServeOptions& options, const StopSignal& stop, ServeJob serve) :
      options_(options),
      serve_(std::move(serve)),
      queue_(options.queue, options.queue_limit),
      crew_(stop) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { queue_.close(); }

  /// @throws std::runtime_error if so many threads cannot be created
  void start() {
    crew_.start(options_.threads, [this] {
      return [this, scratch = Scratch(options_.read_buffer_bytes)]() mutable { work(scratch); };
    });
  }

  /// Waits for the end of all threads, once the queue is empty.
  /// @throws what the first of them threw that failed
  void join() {
    queue_.close();
    crew_.join();
  }

  void reserve(std::size_t connections) { queue_.reserve(connections); }
  void put(const Job& job) { queue_.put(job); }

  /// A worker.
  void put_again(const Job& job) { queue_.put_again(job); }

 private:
  // Each worker.
  void work(Scratch& scratch) {
    while (const std::optional<Job> job = queue_.take()) serve_(*job, scratch);
  }

  const ServeOptions& options_;
  const ServeJob serve_;
  JobQueue queue_;
  Crew crew_;  // last, so that its threads have ended before what they use is gone
};

}  // namespace serverlab
