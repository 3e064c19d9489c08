#include "load/verdict.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace serverlab {
namespace {

constexpr double error_share_max = 0.001;
constexpr double law_tolerance = 0.02;
constexpr double send_lag_max_ns = 50e3;
constexpr double send_lag_share_max = 0.05;  // of the median latency
constexpr double cpu_share_max = 0.95;
constexpr double sent_share_min = 0.99;

std::uint64_t wrong_answers(const Tally& tally) {
  const auto count = [&](ErrorClass error) {
    return tally.errors[static_cast<std::size_t>(error)];
  };
  return count(ErrorClass::wrong_content) + count(ErrorClass::protocol_error) +
         count(ErrorClass::unexpected_reply);
}

// Little's law, as book-keeping: requests in flight on the average are the same, whether one
// watches how many there are or adds up how long each was. And there can be no more of them than
// the connections hold.
std::string broken_law(const LoadOptions& options, const TargetResult& result) {
  const double by_gauge = result.window.in_flight_by_gauge_s / result.duration_s;
  const double by_requests = result.window.in_flight_by_requests_s / result.duration_s;
  const double room = static_cast<double>(options.model.connections) * options.model.depth;
  if (std::abs(by_gauge - by_requests) > law_tolerance * std::max(by_gauge, by_requests)) {
    return fmt::format("{:.2f} requests in flight on the average, but their times add up to {:.2f}",
                       by_gauge, by_requests);
  }
  if (by_requests > room * (1 + law_tolerance)) {
    return fmt::format("{:.2f} requests in flight on the average, where there is room for {:.0f}",
                       by_requests, room);
  }
  return {};
}

// Of a schedule: whether it was the generator that could not keep it.
std::string limited_client(const LoadOptions& options, const TargetResult& result) {
  const auto lag_p99_ns = static_cast<double>(result.window.send_lag.quantile_ns(0.99));
  const auto latency_p50_ns = static_cast<double>(result.window.latency.quantile_ns(0.5));
  const double lag_max_ns = std::max(send_lag_max_ns, send_lag_share_max * latency_p50_ns);
  if (lag_p99_ns > lag_max_ns) {
    return fmt::format("p99 send lag {:.0f} µs, above {:.0f} µs", lag_p99_ns / 1e3,
                       lag_max_ns / 1e3);
  }
  const bool spins = options.pacing == Pacing::spin;  // then it is always busy
  if (!spins && result.cpu_busiest_worker > cpu_share_max) {
    return fmt::format("a generator thread was busy for {:.0f} % of the window",
                       100 * result.cpu_busiest_worker);
  }
  return {};
}

std::string unsustained(const Tally& window) {
  const auto intended = static_cast<double>(window.intended);
  const auto sent = static_cast<double>(window.sent_in_time);
  if (sent >= sent_share_min * intended) return {};
  return fmt::format("only {:.1f} % of the offered rate was sent", 100 * sent / intended);
}

LoadVerdict errors(const Tally& window, const Tally& before) {
  const std::uint64_t wrong = wrong_answers(window) + wrong_answers(before);
  if (wrong > 0) return {"ERRORS", fmt::format("{} wrong answers", wrong)};
  if (window.intended == 0) return {"ERRORS", "no request was issued in the window"};
  const double share =
      static_cast<double>(window.errors_total()) / static_cast<double>(window.intended);
  if (share > error_share_max) {
    return {"ERRORS", fmt::format("{} errors in {} requests, {:.2g} %", window.errors_total(),
                                  window.intended, 100 * share)};
  }
  if (window.completed == 0) return {"ERRORS", "no request was answered"};
  return {};
}

}  // namespace

LoadVerdict verdict(const LoadOptions& options, const TargetResult& result, bool interrupted) {
  const Tally& window = result.window;
  const ModelOptions& model = options.model;
  if (interrupted) return {"INTERRUPTED", fmt::format("stopped after {:.1f} s", result.duration_s)};
  if (model.keeps_open() && result.established < model.connections) {
    return {"SHORT", fmt::format("{} of {} connections were open when the window began",
                                 result.established, model.connections)};
  }
  if (LoadVerdict found = errors(window, result.before); found.name != "VALID") return found;
  if (const std::string law = broken_law(options, result); !law.empty()) return {"IMPOSSIBLE", law};
  if (result.steady == false) {
    return {"UNSTEADY", fmt::format("not steady after {:.1f} s of warm-up", result.warmup_s)};
  }
  if (model.rate.to_per_s <= 0) return {};
  // A probe of `hold` asks whether a connection is alive, not how soon it answers.
  if (model.name != ModelName::hold) {
    const std::string client = limited_client(options, result);
    if (!client.empty()) return {"CLIENT-LIMITED", client};
  }
  if (const std::string rate = unsustained(window); !rate.empty()) return {"NOT-SUSTAINED", rate};
  return {};
}

}  // namespace serverlab
