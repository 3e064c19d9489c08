#pragma once

// The workers of a load, as threads of this process or of forked ones. Their reports lie in
// shared memory either way.

#include "load/worker.h"

#include <memory>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace serverlab {

class Workers {
 public:
  /// Starts all workers. If any are to be forked, this process must not have other threads yet.
  Workers(const LoadOptions& options, const Workload& workload, std::span<const Segment> segments);
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  Beat& beat() { return *beat_; }
  std::size_t count() const { return reports_.size(); }
  WorkerReport& report(std::size_t worker) { return **reports_[worker]; }
  /// Connections that are open now.
  std::uint32_t established() const;
  /// Whether any was ever opened.
  bool accepted() const;

  bool all_await(std::uint32_t segment) const;
  bool all_done() const;

  /// When the last client of all was done; Instant::max() while one is not.
  Instant finished_at() const;

  /// @throws std::runtime_error with a worker's own sentence if one has failed
  void rethrow_failure() const;

 private:
  void run_worker(std::uint32_t worker, const Workload& workload,
                  std::span<const Segment> segments);
  // Ends the workers, if they are not done, and waits for it. What they have is collected no more.
  void abandon();
  void run_process(int process, const Workload& workload, std::span<const Segment> segments);

  const LoadOptions& options_;
  Shared<Beat> beat_;
  std::vector<std::unique_ptr<Shared<WorkerReport>>> reports_;
  std::vector<std::jthread> threads_;
  std::vector<pid_t> processes_;
};

}  // namespace serverlab
