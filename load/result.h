#pragma once

// What a load found.

#include "load/fairness.h"
#include "load/pauses.h"
#include "load/tally.h"
#include "load/wrong_reply.h"

#include <memory>
#include <optional>
#include <string_view>
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
  std::int64_t send_lag_p99_ns = 0;
  std::uint32_t established = 0;  // connections open when it was collected

  // Of a whole slice, its warm-up and drain included, so that CPU time and requests are of the
  // same stretch.
  std::uint64_t answered = 0;
  double generator_cpu_s = 0;
  std::optional<double> server_cpu_s;

  // CPUs that all but these two kept busy meanwhile; none if the kernel does not tell.
  std::optional<double> other_cpus_busy;
  std::uint64_t intended = 0;
  std::uint64_t sent_in_time = 0;
  bool begins_late = false;   // than a load of several parts was told
  bool is_late = false;       // the generator did not keep its schedule
  bool is_disturbed = false;  // it does not count, see load/disturbance.h
};

/// What was seen of one target.
struct TargetResult {
  double warmup_s = 0;         // as it was
  std::optional<bool> steady;  // whether the warm-up ended because it was; none: not asked for
  std::optional<double>
      done_s;  // after which all clients were done; none: they were not, or need not
  std::uint32_t unfinished = 0;   // clients that had not done what they were to do, at the limit
  double duration_s = 0;          // of its windows together, as they were
  std::uint32_t established = 0;  // connections open when the window began
  Tally window;
  Tally before;            // connecting and warm-up
  WrongReply wrong_reply;  // the first one, whenever it came
  Fairness fairness;
  double alive = 0;           // connections that had a reply within the window
  double asked = 0;           // connections that had a request in flight within it
  double starved = 0;         // of those, connections that waited for long and had no reply in it
  double failed = 0;          // of those, whose last request failed, or one timed out within it
  Pauses pauses;              // of the worst worker
  double cpu_s = 0;           // of the workers, within the window
  double cpu_user_share = 0;  // of that, in user space
  double cpu_busiest_worker = 0;       // share of the window that the busiest worker was running
  std::optional<double> server_cpu_s;  // within the window, or with slices, in the slices
  std::uint64_t answered = 0;          // right replies in the same time
  std::vector<IntervalRow> series;

  /// Of requests that were intended before the window, whenever they failed, and of connections
  /// that failed by then.
  ErrorCounts errors_before_window() const {
    ErrorCounts sum = before.errors;
    for (std::size_t i = 0; i < error_classes; ++i) {
      sum[i] += before.errors_earlier[i] + window.errors_earlier[i];
    }
    return sum;
  }
};

struct LoadResult {
  bool interrupted = false;
  Instant began = Instant::max();         // by its first request; Instant::max(): it sent none
  int connection_log_error = 0;           // errno of what kept rows from being written
  std::vector<std::string_view> classes;  // of the workload's requests
  std::vector<std::unique_ptr<TargetResult>> targets;
};

}  // namespace serverlab
