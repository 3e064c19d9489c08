#pragma once

// Merges what workers hand over into rows, an interval of all workers each, and rows into results.

#include "load/load_events.h"
#include "load/result.h"
#include "load/segments.h"
#include "load/shared_memory.h"
#include "load/steadiness.h"

#include <map>

namespace serverlab {

class Collector {
 public:
  Collector(std::span<const Segment> segments, std::size_t targets, std::size_t workers,
            const LoadEvents& events);

  LoadResult& result() { return result_; }
  TargetResult& of(std::uint32_t segment) { return *result_.targets[segments_[segment].target]; }

  void begin(std::uint32_t segment, Instant begin);

  /// The segment's window begins earlier than was said.
  void move_window(Instant begin);

  /// All clients were done at `end`, before the window's.
  void end_window(Instant end) { window_end_ = end; }

  /// @param established connections that are open now
  void take(const HandedOver& out, std::uint32_t established);

  /// Of the segment's warm-up, the intervals that all workers have handed over.
  std::span<const WarmupInterval> warmup() const { return warmup_; }

  /// The segment is over, and everything is handed over.
  /// @return its last row; null if it has none
  IntervalRow* end(std::uint32_t segment, std::uint32_t established);

 private:
  struct Interval {
    std::size_t workers = 0;  // that have handed over theirs
    Instant to;               // the end of the last hand-over
    std::unique_ptr<Tally> tally;
  };

  Interval& interval_of(std::map<std::int64_t, Interval>& intervals, std::int64_t number);
  void take_warmup(const HandedOver& out);
  void close_warmup(std::int64_t number);
  void close_interval(std::uint32_t segment, std::uint32_t established);
  void record_interval(std::uint32_t segment, std::uint32_t established, std::int64_t number,
                       Instant ended, const Tally& tally);

  std::span<const Segment> segments_;
  std::size_t workers_;
  const LoadEvents& events_;
  LoadResult result_;
  Instant first_window_begin_ = Instant::max();
  Instant window_begin_;
  Instant window_end_ = Instant::max();  // where it ended earlier than was said
  Instant begin_;
  std::vector<WarmupInterval> warmup_;
  std::map<std::int64_t, Interval> warmups_;    // of the warm-up, by number: not handed over by all
  std::map<std::int64_t, Interval> intervals_;  // of the window, the same
  std::uint64_t answered_ = 0;                  // in the segment so far
  // Those that are clear, for the next intervals. A tally has megabytes: to allocate one takes the
  // CPU for milliseconds, which may be the worker's. So it is done before the load begins.
  std::vector<std::unique_ptr<Tally>> spare_;
};

}  // namespace serverlab
