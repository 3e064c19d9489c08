#pragma once

// What one worker records in one interval. Plain data: it lies in memory that the workers share
// with their conductor, threads or processes alike, and tallies merge by addition.

#include "base/histogram.h"
#include "load/error_class.h"
#include "services/workload.h"

namespace serverlab {

struct Tally {
  // Of requests that were intended within the window, whenever they were answered.
  std::uint64_t intended = 0;
  std::uint64_t sent = 0;
  std::uint64_t dropped = 0;  // never issued, as too many were waiting already
  std::uint64_t completed = 0;
  // Of these requests; and of connections, what happened to them meanwhile.
  ErrorCounts errors{};
  std::uint64_t unanswered = 0;        // sent, never answered: timed out, lost, or in flight
  std::uint64_t in_flight_at_end = 0;  // of those: still in flight after the drain

  Histogram latency;       // received − intended
  Histogram service_time;  // received − sent
  Histogram send_lag;      // sent − due: the generator's own lateness
  Histogram connect;       // connected − connecting
  Histogram session;       // closed − begun, of sessions that came to their end
  std::array<Histogram, classes_max> latency_of_class;  // where the workload has classes

  // Of the interval's time, whichever request it was.
  std::uint64_t received = 0;      // right replies that came in before the window's end
  std::uint64_t answered = 0;      // the same, and those that came in later
  std::uint64_t sent_in_time = 0;  // requests sent before the window's end
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t lost = 0;      // connections that broke
  std::uint64_t reopened = 0;  // of those: connected anew
  double outage_s = 0;         // of those: from the loss to the new connection, added up

  ErrorCounts errors_earlier{};  // of requests intended before

  // The time that requests were in flight, taken in two ways that must agree (Little's law).
  double in_flight_by_gauge_s = 0;     // the number in flight, integrated over time
  double in_flight_by_requests_s = 0;  // each request's time in flight, added up

  void count(ErrorClass error) { ++errors[static_cast<std::size_t>(error)]; }
  std::uint64_t errors_of(ErrorClass error) const {
    return errors[static_cast<std::size_t>(error)];
  }
  std::uint64_t errors_total() const;
  std::uint64_t failed_requests() const;  // of the errors, those of requests: at most `intended`
  /// Whether nothing has been recorded.
  bool blank() const;
  std::uint64_t unsent() const { return intended - sent - dropped; }
  void merge(const Tally& other);
  void clear();
};

}  // namespace serverlab
