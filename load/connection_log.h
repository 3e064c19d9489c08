#pragma once

// One row a connection, on demand: when it was connected, how many requests and bytes it had, how
// fast. It costs about 1.3 kB a connection.

#include "base/clock.h"
#include "load/peer.h"

#include <array>
#include <string>
#include <vector>

namespace serverlab {

/// The columns of a connection log, a line of CSV.
constexpr auto connection_log_header =
    "connection,target,connected_at_s,requests,bytes,latency_mean_ns,latency_p99_ns\n";

/// A latency histogram of few buckets: eight to an octave, so that a percentile is right within
/// 13 %.
class CoarseHistogram {
 public:
  void record(std::int64_t value_ns);
  std::int64_t quantile_ns(double quantile) const;

 private:
  std::array<std::uint32_t, 320> counts_{};
  std::uint64_t total_ = 0;
};

class ConnectionLog {
 public:
  ConnectionLog() = default;

  /// @param path empty: nothing is kept
  ConnectionLog(std::string path, std::span<const Peer> peers);

  /// The first time counts.
  void connected(const Peer& peer, Instant now);

  void received(const Peer& peer, std::size_t bytes);

  /// A request that was intended within the window.
  void answered(const Peer& peer, Duration latency);

  /// Appends a row for each peer; several workers may do so to one file at a time.
  /// @param window_begin what `connected_at_s` counts from
  /// @return 0, or the errno of what kept rows from being written
  int write(Instant window_begin) const;

 private:
  struct Row {
    Instant connected_at;
    std::uint64_t bytes = 0;
    std::uint64_t requests = 0;
    double latency_sum_ns = 0;
    CoarseHistogram latency;
  };

  Row& of(const Peer& peer) { return rows_[static_cast<std::size_t>(&peer - peers_.data())]; }

  std::string path_;
  std::span<const Peer> peers_;
  std::vector<Row> rows_;
};

}  // namespace serverlab
