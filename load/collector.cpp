#include "load/collector.h"

#include <algorithm>

namespace serverlab {
namespace {

// That are not handed over by all workers: the warm-up's last interval and the window's first.
constexpr std::size_t intervals_at_once = 2;

}  // namespace

Collector::Collector(std::span<const Segment> segments, std::size_t targets, std::size_t workers,
                     const LoadEvents& events) :
    segments_(segments), workers_(workers), events_(events) {
  for (std::size_t i = 0; i < targets; ++i) {
    result_.targets.push_back(std::make_unique<TargetResult>());
  }
  for (std::size_t i = 0; i < intervals_at_once; ++i) spare_.push_back(std::make_unique<Tally>());
}

void Collector::begin(std::uint32_t segment, Instant begin) {
  begin_ = begin;
  window_begin_ = begin + segments_[segment].warmup;
  warmup_.clear();
  while (!warmups_.empty()) close_warmup(warmups_.begin()->first);
  const bool has_window = segments_[segment].window > Duration::zero();
  if (has_window) first_window_begin_ = std::min(first_window_begin_, window_begin_);
  answered_ = 0;
}

void Collector::take(const HandedOver& out, std::uint32_t established) {
  answered_ += out.tally.answered;
  if (out.of == HandedOver::Of::warmup) take_warmup(out);
  if (out.of != HandedOver::Of::window) return of(out.segment).before.merge(out.tally);
  // A worker that found its last tally uncollected gave this one over more than one interval.
  const Duration interval = segments_[out.segment].interval;
  const auto rounded = [interval](Duration time) { return (time + interval / 2) / interval; };
  const std::int64_t first = rounded(out.from - window_begin_);
  const std::int64_t last = std::max(first, rounded(out.to - window_begin_) - 1);
  for (std::int64_t i = first; i <= last; ++i) {
    Interval& row = interval_of(intervals_, i);
    ++row.workers;
    row.to = std::max(row.to, out.to);
  }
  intervals_[first].tally->merge(out.tally);
  while (!intervals_.empty() && intervals_.begin()->second.workers == workers_) {
    close_interval(out.segment, established);
  }
}

Collector::Interval& Collector::interval_of(std::map<std::int64_t, Interval>& intervals,
                                            std::int64_t number) {
  Interval& interval = intervals[number];
  if (interval.tally != nullptr) return interval;
  if (spare_.empty()) spare_.push_back(std::make_unique<Tally>());
  interval.tally = std::move(spare_.back());
  spare_.pop_back();
  return interval;
}

void Collector::take_warmup(const HandedOver& out) {
  const Instant end = std::min(out.to, out.from + warmup_interval);
  const std::int64_t number = (end - begin_) / warmup_interval;
  Interval& interval = interval_of(warmups_, number);
  interval.tally->merge(out.tally);
  if (++interval.workers < workers_) return;
  warmup_.push_back(
      {.rate_per_s = static_cast<double>(interval.tally->received) / seconds(out.to - out.from),
       .latency_p99_ns = interval.tally->latency.quantile_ns(0.99)});
  close_warmup(number);
}

void Collector::close_warmup(std::int64_t number) {
  spare_.push_back(std::move(warmups_.extract(number).mapped().tally));
  spare_.back()->clear();
}

void Collector::move_window(Instant begin) {
  if (first_window_begin_ == window_begin_) first_window_begin_ = begin;
  window_begin_ = begin;
}

IntervalRow* Collector::end(std::uint32_t segment, std::uint32_t established) {
  while (!intervals_.empty()) close_interval(segment, established);
  std::vector<IntervalRow>& series = of(segment).series;
  if (segments_[segment].window == Duration::zero() || series.empty()) return nullptr;
  series.back().answered = answered_;
  return &series.back();
}

void Collector::close_interval(std::uint32_t segment, std::uint32_t established) {
  auto node = intervals_.extract(intervals_.begin());
  spare_.push_back(std::move(node.mapped().tally));
  record_interval(segment, established, node.key(), node.mapped().to, *spare_.back());
  spare_.back()->clear();
}

void Collector::record_interval(std::uint32_t segment, std::uint32_t established,
                                std::int64_t number, Instant ended, const Tally& tally) {
  const Segment& of_segment = segments_[segment];
  if (of_segment.window == Duration::zero()) return;
  TargetResult& target = of(segment);
  target.window.merge(tally);
  const Duration from = number * of_segment.interval;
  const Duration to =
      std::min(from + of_segment.interval, std::min(ended, window_end_) - window_begin_);
  if (to <= from) return;
  const Duration since_first = window_begin_ - first_window_begin_;
  target.series.push_back({.target = of_segment.target,
                           .from_s = seconds(since_first + from),
                           .to_s = seconds(since_first + to),
                           .received = tally.received,
                           .errors = tally.errors_total(),
                           .latency_mean_ns = tally.latency.mean_ns(),
                           .latency_p50_ns = tally.latency.quantile_ns(0.5),
                           .latency_p99_ns = tally.latency.quantile_ns(0.99),
                           .send_lag_p99_ns = tally.send_lag.quantile_ns(0.99),
                           .established = established,
                           .server_cpu_s = {},
                           .other_cpus_busy = {},
                           .intended = tally.intended,
                           .sent_in_time = tally.sent_in_time});
  events_.interval(target.series.back(), tally);
}

}  // namespace serverlab
