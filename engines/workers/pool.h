#pragma once

// The workforce of an engine that offloads: N threads, made once, that take from one queue.

#include "engines/workers/job_queue.h"
#include "engines/workers/making_threads.h"

namespace serverlab {

/// Serves a job, by the means of the thread that does so.
using ServeJob = std::function<void(const Job&, Scratch&)>;

class Pool {
 public:
  static constexpr bool measures = false;

  Pool(const ServeOptions& options, ServeJob serve) :
      options_(options), serve_(std::move(serve)), queue_(options.queue, options.queue_limit) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { queue_.close(); }

  /// @throws std::runtime_error if there cannot be so many threads
  void start() {
    make_threads(options_.threads, workers_,
                 [this](auto& workers) { workers.push_back(make_thread([this] { work(); })); });
  }

  void put(const Job& job) { queue_.put(job); }
  void put_again(const Job& job) { queue_.put_again(job); }

 private:
  void work() {
    Scratch scratch(options_.read_buffer_bytes);
    while (const std::optional<Job> job = queue_.take()) serve_(*job, scratch);
  }

  const ServeOptions& options_;
  const ServeJob serve_;
  JobQueue queue_;
  std::vector<std::jthread> workers_;  // last, so that they have ended before what they use is gone
};

}  // namespace serverlab
