#include "load/connection_log.h"

#include "base/owned_fd.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <fcntl.h>
#include <fmt/format.h>
#include <string_view>
#include <unistd.h>

namespace serverlab {
namespace {

constexpr int sub_bits = 3;  // eight buckets to an octave

std::size_t bucket_of(std::int64_t value_ns) {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(value_ns, 1 << sub_bits));
  const int octave = 63 - std::countl_zero(value);
  const std::uint64_t sub = value >> (octave - sub_bits) & ((1 << sub_bits) - 1);
  return (static_cast<std::size_t>(octave - sub_bits) << sub_bits) + sub;
}

std::int64_t middle_of(std::size_t bucket) {
  const auto octave = static_cast<int>(bucket >> sub_bits) + sub_bits;
  const double sub = static_cast<double>(bucket & ((1 << sub_bits) - 1)) + 0.5;
  return static_cast<std::int64_t>(std::ldexp(1 + sub / (1 << sub_bits), octave));
}

}  // namespace

void CoarseHistogram::record(std::int64_t value_ns) {
  ++counts_[std::min(bucket_of(value_ns), counts_.size() - 1)];
  ++total_;
}

std::int64_t CoarseHistogram::quantile_ns(double quantile) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(quantile * static_cast<double>(total_)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen > 0 && seen >= rank) return middle_of(i);
  }
  return 0;
}

ConnectionLog::ConnectionLog(std::string path, std::span<const Peer> peers) :
    path_(std::move(path)), peers_(peers), rows_(path_.empty() ? 0 : peers.size()) {}

void ConnectionLog::connected(const Peer& peer, Instant now) {
  if (rows_.empty()) return;
  Row& row = of(peer);
  if (row.connected_at == Instant()) row.connected_at = now;
}

void ConnectionLog::answered(const Peer& peer, Duration latency) {
  if (rows_.empty()) return;
  Row& row = of(peer);
  ++row.requests;
  row.latency_sum_ns += static_cast<double>(latency.count());
  row.latency.record(latency.count());
}

void ConnectionLog::received(const Peer& peer, std::size_t bytes) {
  if (!rows_.empty()) of(peer).bytes += bytes;
}

int ConnectionLog::write(Instant window_begin) const {
  if (rows_.empty()) return 0;
  std::string lines;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const double mean =
        row.requests > 0 ? row.latency_sum_ns / static_cast<double>(row.requests) : 0;
    lines += fmt::format("{},{},{:.6f},{},{},{:.0f},{}\n", peers_[i].number, peers_[i].target,
                         seconds(row.connected_at - window_begin), row.requests, row.bytes, mean,
                         row.latency.quantile_ns(0.99));
  }
  OwnedFd file(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!file) return errno;
  for (std::string_view left = lines; !left.empty();) {
    const ssize_t written = ::write(file.get(), left.data(), left.size());
    if (written < 0 && errno != EINTR) return errno;
    left.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
  return file.close();
}

}  // namespace serverlab
