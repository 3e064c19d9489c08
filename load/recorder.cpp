#include "load/recorder.h"

#include <algorithm>
#include <ctime>
#include <sys/resource.h>
#include <thread>

namespace serverlab {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

void Recorder::begin(const SegmentTimes& times) {
  if (!tally().blank()) hand_over(times.begin);
  times_ = times;
  interval_begin_ = times.begin;
  part_ = Part::warmup;
  part_begin_ = times.begin;
  part_end_ = std::min(times.begin + times.warmup_interval, times.window_begin);
  if (times.window_begin == times.begin) enter_window();
}

void Recorder::move_window(Instant begin) {
  times_.window_end = begin + (times_.window_end - times_.window_begin);
  times_.window_begin = begin;
  part_end_ = std::min(part_end_, begin);
}

void Recorder::end_window(Instant end) {
  times_.window_end = std::min(times_.window_end, end);
  part_end_ = std::min(part_end_, times_.window_end);
}

void Recorder::sent(const Request& request) {
  advance_to(request.sent);
  if (report_.began == Instant::max())
    report_.began = request.sent - (request.intended - times_.begin);
  integrate(request.sent, +1);
  if (part_ != Part::drain) ++tally().sent_in_time;
  if (!counts(request.intended)) return;
  ++tally().sent;
  tally().send_lag.record((request.sent - request.due).count());
}

void Recorder::answered(const Request& request, Instant received) {
  integrate(received, -1);
  Tally& tally = this->tally();
  ++tally.answered;
  if (part_ != Part::drain) ++tally.received;
  if (part_ != Part::warmup)
    tally.in_flight_by_requests_s += overlap_with_window_s(request.sent, received);
  if (!counts(request.intended)) return;
  ++tally.completed;
  const std::int64_t latency_ns = (received - request.intended).count();
  tally.latency.record(latency_ns);
  if (by_class_) tally.latency_of_class[request.request_class].record(latency_ns);
  tally.service_time.record((received - request.sent).count());
}

void Recorder::given_up(const Request& request, Instant now) {
  integrate(now, -1);
  if (part_ != Part::warmup)
    tally().in_flight_by_requests_s += overlap_with_window_s(request.sent, now);
  if (counts(request.intended)) ++tally().unanswered;
}

void Recorder::end(Instant now) {
  advance_to(now);
  hand_over(std::min(now, times_.window_end));
  part_ = Part::before;
  part_begin_ = part_end_ = Instant::max();
}

// Ends one part; several, if the worker was delayed for longer than one lasts.
void Recorder::end_part(Instant now) {
  while (now >= part_end_) {
    if (part_ == Part::warmup) {
      part_end_ < times_.window_begin ? end_warmup_interval() : end_warmup();
    } else {
      integrate(part_end_, 0);
      part_end_ < times_.window_end ? end_interval() : enter_drain();
    }
  }
}

// Until the conductor has collected the last tally, this one continues in the next interval.
void Recorder::end_warmup_interval() {
  if (may_hand_over()) hand_over(part_end_);
  part_end_ = std::min(part_end_ + times_.warmup_interval, times_.window_begin);
}

void Recorder::end_warmup() {
  hand_over(times_.window_begin);
  enter_window();
}

void Recorder::enter_window() {
  part_ = Part::window;
  part_begin_ = integrated_to_ = times_.window_begin;
  part_end_ = std::min(times_.window_begin + times_.interval, times_.window_end);
  cpu_at_window_begin_s_ = thread_cpu_s();
}

void Recorder::end_interval() {
  if (may_hand_over()) hand_over(part_end_);
  part_end_ = std::min(part_end_ + times_.interval, times_.window_end);
}

void Recorder::enter_drain() {
  report_.cpu_window_s = thread_cpu_s() - cpu_at_window_begin_s_;
  part_ = Part::drain;
  part_end_ = Instant::max();
}

bool Recorder::may_hand_over() const {
  return report_.collected.load(std::memory_order_acquire) ==
         report_.handed_over.load(std::memory_order_relaxed);
}

void Recorder::hand_over(Instant to) {
  while (!may_hand_over()) {
    if (report_.abandoned) return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  const std::uint32_t handed_over = report_.handed_over.load(std::memory_order_relaxed);
  HandedOver& out = report_.outbox[handed_over % 2];
  out.segment = times_.segment;
  out.of = part_ == Part::before   ? HandedOver::Of::before
           : part_ == Part::warmup ? HandedOver::Of::warmup
                                   : HandedOver::Of::window;
  out.from = interval_begin_;
  out.to = interval_begin_ = to;
  report_.handed_over.store(handed_over + 1, std::memory_order_release);
}

// The number in flight times how long it was that many, within the window.
void Recorder::integrate(Instant now, int change) {
  if (part_ == Part::window) {
    const Instant to = std::min(now, times_.window_end);
    tally().in_flight_by_gauge_s += static_cast<double>(in_flight_) * seconds(to - integrated_to_);
    integrated_to_ = to;
  }
  in_flight_ += change;
}

double Recorder::overlap_with_window_s(Instant from, Instant to) const {
  const Instant begin = std::max(from, times_.window_begin);
  const Instant end = std::min(to, times_.window_end);
  return end > begin ? seconds(end - begin) : 0;
}

double thread_cpu_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double thread_user_share() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  const double user_s = seconds_of(usage.ru_utime);
  const double both_s = user_s + seconds_of(usage.ru_stime);
  return both_s > 0 ? user_s / both_s : 0;
}

}  // namespace serverlab
