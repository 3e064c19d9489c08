// The conductor: starts the workers, gives the beat at which a segment begins, and collects what
// they hand over.

#include "load/generator.h"

#include "load/collector.h"
#include "load/disturbance.h"
#include "load/idle_clock.h"
#include "load/segments.h"
#include "load/server_clock.h"
#include "load/told_begin.h"
#include "load/workers.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace serverlab {
namespace {

constexpr Duration look_interval = std::chrono::milliseconds(20);     // within a segment
constexpr Duration border_interval = std::chrono::microseconds(200);  // while workers drain
constexpr Duration beat_lead = std::chrono::microseconds(500);        // from a beat to its instant

// What the CPUs had done by a border of a segment.
struct CpuLook {
  Instant at;
  std::optional<double> server_cpu_s;  // of the segment's target
  std::optional<double> idle_s;        // of the CPUs that servers and generator may use
};

class Conductor {
 public:
  Conductor(const LoadOptions& options, const Workload& workload, const StopSignal& stop,
            const LoadEvents& events) :
      options_(options),
      stop_(stop),
      events_(events),
      segments_(make_segments(options)),
      collector_(segments_, options.targets.size(), options.workers(), events),
      workers_(options, workload, segments_),
      idle_clock_(options.server_pids),
      worker_cpu_s_(options.targets.size(), std::vector<double>(options.workers())) {
    collector_.result().classes = workload.classes;
  }

  LoadResult conduct() {
    await_workers(0);
    if (!workers_.accepted() && options_.model.keeps_open() && !interrupted()) {
      throw std::runtime_error(
          fmt::format("cannot connect to {}: no connection was accepted within {:g} s",
                      options_.targets.front().to_string(), seconds(options_.connect_timeout)));
    }
    const std::uint32_t established = workers_.established();
    events_.connected(established);
    bool window_begun = false;
    for (std::uint32_t i = 0; i < segments_.size() && !interrupted(); ++i) {
      collector_.of(i).established =
          established / static_cast<std::uint32_t>(options_.targets.size());
      if (options_.begin_is_told) await_told_begin(i);
      conduct_segment(i, window_begun);
    }
    while (!workers_.all_done()) look(look_interval);
    collect();
    add_worker_totals();
    return std::move(collector_.result());
  }

 private:
  void await_told_begin(std::uint32_t index) {
    if (index > 0) events_.at_border(segments_[index].target);
    std::optional<Instant> begin;
    while (!(begin = told_.await(border_interval)) && !interrupted()) look(border_interval);
    told_begin_ = begin.value_or(Instant());
  }

  void conduct_segment(std::uint32_t index, bool& window_begun) {
    const Segment& segment = segments_[index];
    const bool sliced = options_.slice > Duration::zero();
    TargetResult& target = collector_.of(index);
    const Instant soonest = now() + beat_lead;
    const Instant begin = std::max(told_begin_, soonest);
    const bool begins_late = options_.begin_is_told && begin > told_begin_;
    CpuLook before = look_at_cpus(segment.target);
    collector_.begin(index, begin);
    workers_.beat().begin = begin;
    workers_.beat().window_begin = Instant::max();
    workers_.beat().segments_begun = index + 1;
    look_until(begin);
    collect();  // so that the workers can hand over a short warm-up
    const Instant window_begin = await_window(segment, target, begin);
    if (!sliced) before = look_at_cpus(segment.target);
    const bool has_window = segment.window > Duration::zero();
    if (has_window && !std::exchange(window_begun, true)) events_.window_begun();
    const Instant window_end = await_window_end(window_begin, segment.window, target);
    target.duration_s += std::max(0.0, seconds(window_end - window_begin));
    CpuLook after = look_at_cpus(segment.target);
    if (index + 1 == segments_.size()) events_.window_ended();
    await_workers(index + 1);
    if (sliced) after = look_at_cpus(segment.target);
    finish_segment(index, target, before, after, begins_late);
  }

  // Sleeps until the window begins: when the warm-up has its length, or is steady.
  Instant await_window(const Segment& segment, TargetResult& target, Instant begin) {
    constexpr Duration notice = std::chrono::milliseconds(10);  // for all workers to read it
    Instant window_begin = begin + segment.warmup;
    if (segment.until_steady) {
      target.steady = false;
      while (now() < window_begin - 2 * notice && !interrupted() && !*target.steady) {
        look(look_interval);
        target.steady = is_steady(collector_.warmup());
      }
      if (*target.steady) window_begin = now() + notice;
      workers_.beat().window_begin = window_begin;
      collector_.move_window(window_begin);
    }
    look_until(window_begin);
    if (target.warmup_s == 0) target.warmup_s = seconds(window_begin - begin);
    return window_begin;
  }

  // Sleeps until the window ends: when it has its length, or when all clients are done before that.
  // What follows until all workers know it is without requests, and not counted as time.
  Instant await_window_end(Instant begin, Duration limit, TargetResult& target) {
    const Instant end = begin + limit;
    if (!options_.model.ends_when_done()) {
      look_until(end);
      return std::min(now(), end);
    }
    constexpr Duration notice = std::chrono::milliseconds(10);  // for all workers to read it
    while (now() < end && !interrupted() && workers_.finished_at() == Instant::max())
      look(std::min(look_interval, std::max(border_interval, end - now())));
    const Instant finished_at = workers_.finished_at();
    if (finished_at >= end) return std::min(now(), end);
    const Instant told_end = std::min(end, now() + notice);
    collector_.end_window(finished_at);
    workers_.beat().window_end = told_end;
    look_until(told_end);
    target.done_s = seconds(finished_at - begin);
    return finished_at;
  }

  void finish_segment(std::uint32_t index, TargetResult& target, const CpuLook& before,
                      const CpuLook& after, bool begins_late) {
    IntervalRow* row = collector_.end(index, workers_.established());
    if (row == nullptr) return;
    row->begins_late = begins_late;
    double window_cpu_s = 0;
    double busiest_s = 0;
    for (std::size_t i = 0; i < workers_.count(); ++i) {
      const WorkerReport& report = workers_.report(i);
      row->generator_cpu_s += report.cpu_segment_s;
      window_cpu_s += report.cpu_window_s;
      target.unfinished += report.unfinished;
      double& worker_cpu_s = worker_cpu_s_[row->target][i];
      worker_cpu_s += report.cpu_window_s;
      busiest_s = std::max(busiest_s, worker_cpu_s);
    }
    if (target.duration_s > 0) target.cpu_busiest_worker = busiest_s / target.duration_s;
    target.cpu_s += window_cpu_s;
    target.answered = options_.slice > Duration::zero() ? target.answered + row->answered
                                                        : target.window.received;
    if (!before.server_cpu_s || !after.server_cpu_s) return;
    row->server_cpu_s = *after.server_cpu_s - *before.server_cpu_s;
    target.server_cpu_s = target.server_cpu_s.value_or(0) + *row->server_cpu_s;
    if (!before.idle_s || !after.idle_s) return;
    const double cpus = static_cast<double>(idle_clock_.cpus());
    const double time_s = seconds(after.at - before.at);
    const double used_s = cpus * time_s - (*after.idle_s - *before.idle_s);
    const double other_s = used_s - *row->server_cpu_s - row->generator_cpu_s;
    row->other_cpus_busy = std::max(0.0, other_s / time_s);
  }

  CpuLook look_at_cpus(std::uint32_t target) const {
    if (options_.server_pids.empty()) return {.at = now(), .server_cpu_s = {}, .idle_s = {}};
    const double cpu_s = server_cpu_s(options_.server_pids[target]);
    return {.at = now(), .server_cpu_s = cpu_s, .idle_s = idle_clock_.idle_s()};
  }

  bool interrupted() { return collector_.result().interrupted; }

  // Sleeps, at most until a stop is requested; then collects what the workers handed over.
  void look(Duration sleep) {
    const bool stopped = sleep >= std::chrono::milliseconds(1) ? stop_.wait(sleep) : stop_.raised();
    if (stopped || sleep < std::chrono::milliseconds(1))
      std::this_thread::sleep_for(border_interval);
    if (stopped) {
      workers_.beat().abort = true;
      collector_.result().interrupted = true;
    }
    workers_.rethrow_failure();
    collect();
  }

  void look_until(Instant end) {
    for (Instant t = now(); t < end && !interrupted(); t = now()) {
      const Duration left = end - t;
      if (left > std::chrono::milliseconds(2)) {
        look(std::min(look_interval, left - std::chrono::milliseconds(1)));
      } else {
        std::this_thread::sleep_for(left);
      }
    }
  }

  void await_workers(std::uint32_t segment) {
    while (!workers_.all_await(segment)) {
      look(border_interval);
      if (segment == 0) refuse_if_no_target_accepts();
    }
    collect();
  }

  void refuse_if_no_target_accepts() {
    if (workers_.accepted() || interrupted()) return;
    for (std::size_t i = 0; i < workers_.count(); ++i) {
      const int refusal = workers_.report(i).refusal;
      if (refusal == 0) continue;
      throw std::runtime_error(fmt::format("cannot connect to {}: {}",
                                           options_.targets.front().to_string(),
                                           std::strerror(refusal)));
    }
  }

  // A worker hands over one tally at a time.
  void collect() {
    for (std::size_t i = 0; i < workers_.count(); ++i) {
      WorkerReport& report = workers_.report(i);
      const std::uint32_t collected = report.collected;
      if (report.handed_over.load(std::memory_order_acquire) == collected) continue;
      HandedOver& out = report.outbox[collected % 2];
      collector_.take(out, workers_.established());
      out.tally.clear();
      report.collected.store(collected + 1, std::memory_order_release);
    }
  }

  // Adds the figures that workers publish once they are done.
  void add_worker_totals() {
    for (std::size_t w = 0; w < workers_.count(); ++w) {
      if (const int error = workers_.report(w).connection_log_error; error != 0)
        collector_.result().connection_log_error = error;
    }
    for (std::size_t w = 0; w < workers_.count(); ++w) {
      Instant& began = collector_.result().began;
      began = std::min(began, workers_.report(w).began);
    }
    const auto workers = static_cast<double>(workers_.count());
    for (std::size_t i = 0; i < collector_.result().targets.size(); ++i) {
      TargetResult& target = *collector_.result().targets[i];
      RequestCounts counts;
      for (std::size_t w = 0; w < workers_.count(); ++w) {
        counts.merge(workers_.report(w).requests_of[i]);
        target.pauses.merge(workers_.report(w).pauses_of[i]);
        const WrongReply& wrong = workers_.report(w).wrong_reply_of[i];
        if (wrong.when() < target.wrong_reply.when()) target.wrong_reply = wrong;
        target.cpu_user_share += workers_.report(w).cpu_user_share / workers;
      }
      target.fairness = fairness_of(counts);
      target.alive = counts.alive;
      target.asked = counts.asked;
      target.starved = counts.starved;
      target.failed = counts.failed;
      if (options_.slice > Duration::zero())
        mark_disturbed(target.series, options_.model.rate.to_per_s > 0);
    }
  }

  const LoadOptions& options_;
  const StopSignal& stop_;
  const LoadEvents& events_;
  const std::vector<Segment> segments_;
  Collector collector_;
  Workers workers_;
  IdleClock idle_clock_;
  ToldBegin told_{STDIN_FILENO};
  Instant told_begin_;                             // of a segment
  std::vector<std::vector<double>> worker_cpu_s_;  // by target and worker, within the windows
};

}  // namespace

LoadResult run_load(const LoadOptions& options, const Workload& workload, const StopSignal& stop,
                    const LoadEvents& events) {
  return Conductor(options, workload, stop, events).conduct();
}

}  // namespace serverlab
