#pragma once

// Keeps a worker's accounts: which request counts where, and when a tally is handed over.
//
//   ├── before ──┤├─ warm-up ─┤├────────────── window ──────────────┤├─ drain ─┤
//                              └ interval ┘└ interval ┘└ interval … ┘
//
// A request belongs to the part in which it was intended, however late it is answered: one that was
// intended in the window and answered in the drain counts, one that was intended in the warm-up and
// answered in the window does not. Rates count what came in during the interval. All instants are
// of the worker's loop; nothing here reads the clock.

#include "load/in_flight.h"
#include "load/shared_memory.h"

namespace serverlab {

/// The borders of a segment. All workers have the same.
struct SegmentTimes {
  std::uint32_t segment = 0;
  Instant begin;
  Instant window_begin;
  Instant window_end;
  Duration warmup_interval{};  // tallies are handed over this often within the warm-up,
  Duration interval{};         // and within the window
};

class Recorder {
 public:
  /// @param by_class whether latencies are also recorded by the requests' classes
  explicit Recorder(WorkerReport& report, bool by_class = false) :
      report_(report), by_class_(by_class) {
    tally().clear();
  }

  /// Hands over what was recorded since the last segment, if anything was, and begins one.
  void begin(const SegmentTimes& times);

  /// The window begins earlier than was said; it is as long. Only before it has begun.
  void move_window(Instant begin);

  /// The window ends earlier than was said; not before `end`, which is to come.
  void end_window(Instant end);

  /// To be told of every instant before what happened at it: closes the interval that has ended
  /// by then.
  void advance_to(Instant now) {
    if (now >= part_end_) end_part(now);
  }

  /// Everything in flight is answered or given up: hands over the rest.
  void end(Instant now);

  void intended(Instant when) {
    if (counts(when)) ++tally().intended;
  }
  void dropped(Instant when) {
    if (counts(when)) ++tally().dropped;
  }
  void sent(const Request& request);
  void answered(const Request& request, Instant received);

  /// A session came to its end.
  void session(Instant began, Instant ended) {
    if (counts(began)) tally().session.record((ended - began).count());
  }

  /// It will never be answered: lost with its connection, timed out, or still in flight at the end.
  void given_up(const Request& request, Instant now);

  /// Why a request that is given up will not be answered.
  void failed(const Request& request, ErrorClass error) {
    auto& errors = counts(request.intended) ? tally().errors : tally().errors_earlier;
    ++errors[static_cast<std::size_t>(error)];
  }

  /// A request that was given up was so because the drain was over.
  void in_flight_at_end(const Request& request) {
    if (counts(request.intended)) ++tally().in_flight_at_end;
  }

  /// Whether a request of this intention counts in the part that is being recorded.
  bool counts(Instant intended) const {
    return intended >= part_begin_ && intended < times_.window_end;
  }

  bool in_window(const Request& request) const {
    return request.intended >= times_.window_begin && request.intended < times_.window_end;
  }

  /// Whether the window is being recorded.
  bool in_window() const { return part_ == Part::window; }

  /// How much of a stretch of time lies within the window.
  double overlap_with_window_s(Instant from, Instant to) const;

  Tally& tally() {
    return report_.outbox[report_.handed_over.load(std::memory_order_relaxed) % 2].tally;
  }

 private:
  enum class Part { before, warmup, window, drain };

  void end_part(Instant now);
  void end_warmup_interval();
  void end_warmup();
  void enter_window();
  void end_interval();
  void enter_drain();
  bool may_hand_over() const;
  void hand_over(Instant to);
  void integrate(Instant now, int change);

  WorkerReport& report_;
  bool by_class_;
  SegmentTimes times_;
  Part part_ = Part::before;
  Instant part_begin_ = Instant::max();  // of the warm-up, or of the window
  Instant part_end_ = Instant::max();    // of the warm-up, or of the interval
  Instant interval_begin_;
  std::int64_t in_flight_ = 0;
  Instant integrated_to_;
  double cpu_at_window_begin_s_ = 0;
};

/// User and system time of the calling thread.
double thread_cpu_s();

/// The part of it that is user time.
double thread_user_share();

}  // namespace serverlab
