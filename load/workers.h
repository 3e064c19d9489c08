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
  /// @throws Shortage if so many threads or processes cannot be made; those that were have ended
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
  bool all_done() const { return all_done(0, static_cast<std::uint32_t>(count())); }

  /// When the last client of all was done; Instant::max() while one is not.
  Instant finished_at() const;

  /// @throws std::runtime_error with a worker's own sentence if one has failed, which is a Shortage
  ///     if it ran out of something; or if a process has ended before its workers were done
  void rethrow_failure() const;

 private:
  // None is started, and none has to be when another one cannot be: the destructor ends them.
  explicit Workers(const LoadOptions& options);
  void start_threads(std::uint32_t first_worker, const Workload& workload,
                     std::span<const Segment> segments);
  void start_processes(const Workload& workload, std::span<const Segment> segments);
  void run_process(std::uint32_t first_worker, const Workload& workload,
                   std::span<const Segment> segments);
  void run_worker(std::uint32_t worker, const Workload& workload,
                  std::span<const Segment> segments);
  bool all_done(std::uint32_t first_worker, std::uint32_t count) const;
  // Ends the workers, if they are not done, and waits for it. What they have is collected no more.
  void abandon();

  const LoadOptions& options_;
  Shared<Beat> beat_;
  std::vector<std::unique_ptr<Shared<WorkerReport>>> reports_;
  std::vector<std::jthread> threads_;
  std::vector<pid_t> processes_;
};

}  // namespace serverlab
