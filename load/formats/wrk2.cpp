#include "load/formats/formats.h"

#include <algorithm>
#include <fmt/format.h>

namespace serverlab {
namespace {

std::string scaled(double value, double base, std::initializer_list<const char*> units) {
  const auto* unit = units.begin();
  for (; value >= base && unit + 1 != units.end(); ++unit) value /= base;
  return fmt::format("{:.2f}{}", value, *unit);
}

std::string time(double ns) { return scaled(ns / 1e3, 1e3, {"us", "ms", "s"}); }

std::uint64_t errors_of(const Tally& tally, std::initializer_list<ErrorClass> classes) {
  std::uint64_t sum = 0;
  for (const ErrorClass error : classes) sum += tally.errors[static_cast<std::size_t>(error)];
  return sum;
}

}  // namespace

void write_wrk2(std::ostream& out, const LoadOptions& options, const TargetResult& result) {
  const Histogram& latency = result.window.latency;
  out << fmt::format("Running {:.0f}s test @ {}\n", result.duration_s,
                     options.targets.front().to_string())
      << fmt::format("  {} threads and {} connections\n", options.workers(), options.connections())
      << "  Latency Distribution (HdrHistogram - Recorded Latency)\n";
  for (const double percentile : {50.0, 75.0, 90.0, 99.0, 99.9, 99.99, 99.999, 100.0}) {
    const auto value_ns =
        static_cast<double>(std::max<std::int64_t>(0, latency.quantile_ns(percentile / 100)));
    out << fmt::format("{:7.3f}%  {:>8}\n", percentile, time(value_ns));
  }
  out << "\n  Detailed Percentile spectrum:\n";
  write_hgrm(out, latency);
  const Tally& window = result.window;
  const double duration_s = std::max(result.duration_s, 1e-9);
  using enum ErrorClass;
  const auto bytes = static_cast<double>(window.bytes_received);
  out << "----------------------------------------------------------\n"
      << fmt::format("  {} requests in {:.2f}s, {} read\n", window.received, duration_s,
                     scaled(bytes, 1024, {"B", "KB", "MB", "GB"}));
  if (window.errors_total() > 0) {
    out << fmt::format("  Socket errors: connect {}, read {}, write {}, timeout {}\n",
                       errors_of(window, {connect_refused, connect_timeout, connect_unreachable,
                                          connect_reset, connect_no_port, connect_failed}),
                       errors_of(window, {read_reset, read_eof_in_reply, idle_eof, wrong_content,
                                          protocol_error, unexpected_reply}),
                       errors_of(window, {broken_pipe}), errors_of(window, {request_timeout}));
  }
  out << fmt::format("Requests/sec: {:10.2f}\n", static_cast<double>(window.received) / duration_s)
      << fmt::format("Transfer/sec: {:>10}\n",
                     scaled(bytes / duration_s, 1024, {"B", "KB", "MB", "GB"}));
}

}  // namespace serverlab
