#pragma once

// What the conductor and its workers share: the beat that the conductor gives and the tallies that
// the workers hand over. It lies in a shared mapping, so that a worker may be a thread or a
// process. No lock is needed: a worker waits only in its event loop, and the conductor looks every
// few milliseconds.

#include "base/clock.h"
#include "base/resource.h"
#include "base/shared.h"
#include "load/fairness.h"
#include "load/pauses.h"
#include "load/tally.h"
#include "load/wrong_reply.h"

#include <atomic>
#include <optional>

namespace serverlab {

constexpr std::size_t targets_max = 128;

/// Set by the conductor, read by the workers.
struct Beat {
  std::atomic<std::uint32_t> segments_begun{0};     // segments that may begin
  std::atomic<Instant> begin;                       // of the last of them
  std::atomic<Instant> window_begin;                // where a warm-up ends when it is steady
  std::atomic<Instant> window_end{Instant::max()};  // where it ends when all clients are done
  std::atomic<bool> abort{false};
};

/// A tally that a worker has handed over, and what it is of.
struct HandedOver {
  enum class Of { before, warmup, window };
  std::uint32_t segment = 0;
  Of of = Of::before;
  Instant from;
  Instant to;
  Tally tally;
};

/// Written by one worker, read by the conductor.
struct WorkerReport {
  std::atomic<std::uint32_t> segments_awaited{0};    // segments it has asked to begin
  std::atomic<std::uint32_t> established{0};         // connections that are open
  std::atomic<bool> accepted{false};                 // one was opened, and may be lost again
  std::atomic<int> refusal{0};                       // errno of the first failed connect
  std::atomic<Instant> finished_at{Instant::max()};  // when the last of its clients was done
  std::atomic<bool> done{false};
  // Read when done.
  char failure[256] = {};          // why it ended before its time
  std::optional<Resource> out_of;  // what it ran out of then

  // A double buffer: the worker writes outbox[handed_over % 2]; what it has handed over is the
  // conductor's until collected.
  std::atomic<std::uint32_t> handed_over{0};
  std::atomic<std::uint32_t> collected{0};
  HandedOver outbox[2];
  std::atomic<bool> abandoned{false};  // set by the conductor, that will collect no more

  // Of the last segment; complete when the worker awaits the next one, or is done.
  double cpu_window_s = 0;       // user and system time within the window
  double cpu_segment_s = 0;      // from the segment's beginning until nothing is in flight
  std::uint32_t unfinished = 0;  // clients that have not done what they were to do

  // Complete when done.
  Instant began = Instant::max();  // when its first request was sent, less its time in the schedule
  double cpu_user_share = 0;       // of the worker's CPU time
  int connection_log_error = 0;    // errno of what kept its rows from being written
  RequestCounts requests_of[targets_max];
  Pauses pauses_of[targets_max];
  WrongReply wrong_reply_of[targets_max];  // the first
};

}  // namespace serverlab
