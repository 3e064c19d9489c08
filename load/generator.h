#pragma once

// A load, from its options to its result.

#include "load/fairness.h"
#include "load/load_options.h"
#include "load/tally.h"
#include "net/stop_signal.h"
#include "services/workload.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace serverlab {

/// What all workers recorded in one interval of a window, or in one slice.
struct IntervalRow {
  std::uint32_t target = 0;
  double from_s = 0;  // since the first window's begin
  double to_s = 0;
  std::uint64_t received = 0;
  std::uint64_t errors = 0;
  double latency_mean_ns = 0;
  std::int64_t latency_p50_ns = 0;
  std::int64_t latency_p99_ns = 0;
  std::uint32_t established = 0;  // connections open when it was collected

  // Of a whole slice, its warm-up and drain included, so that CPU time and requests are of the
  // same stretch.
  std::uint64_t answered = 0;
  double generator_cpu_s = 0;
  std::optional<double> server_cpu_s;
};

/// What was seen of one target.
struct TargetResult {
  double warmup_s = 0;            // as it was
  std::optional<bool> steady;     // whether the warm-up ended because it was; none: not asked for
  double duration_s = 0;          // of its windows together, as they were
  std::uint32_t established = 0;  // connections open when the window began
  Tally window;
  Tally before;  // connecting and warm-up
  Fairness fairness;
  double cpu_s = 0;                    // of the workers, within the window
  double cpu_user_share = 0;           // of that, in user space
  double cpu_busiest_worker = 0;       // share of the window that the busiest worker was running
  std::optional<double> server_cpu_s;  // within the window, or with slices, in the slices
  std::uint64_t answered = 0;          // right replies in the same time
  std::vector<IntervalRow> series;
};

struct LoadResult {
  bool interrupted = false;
  std::vector<std::string_view> classes;  // of the workload's requests
  std::vector<std::unique_ptr<TargetResult>> targets;
};

/// What happens while a load runs, for whoever shows it.
struct LoadEvents {
  std::function<void(std::uint32_t established)> connected;  // all that could be: warm-up begins
  std::function<void()> window_begun;
  std::function<void(const IntervalRow&, const Tally&)> interval;
  std::function<void()> window_ended;
};

/// Runs a load to its end, or until `stop` is raised.
/// @throws std::runtime_error if nobody listens, or a worker cannot be set up
LoadResult run_load(const LoadOptions& options, const Workload& workload, const StopSignal& stop,
                    const LoadEvents& events);

}  // namespace serverlab
