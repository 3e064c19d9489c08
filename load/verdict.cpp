#include "load/verdict.h"

#include "load/bounds.h"
#include "load/disturbance.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace serverlab {
namespace {

constexpr LoadVerdictRow rows[] = {
    {"VALID", 0, Severity::none, "nothing speaks against the figures"},
    {"INTERRUPTED", 130, Severity::doubtful, "the load was stopped before its end"},
    {"SHORT", 10, Severity::wrong, "not all connections were open when the window began"},
    {"ERRORS", 11, Severity::wrong,
     "a reply was wrong, more than 0.1 % of the requests failed, or the server fell silent"},
    {"UNFINISHED", 18, Severity::wrong, "clients had not done what they were to do at the limit"},
    {"IMPOSSIBLE", 12, Severity::wrong, "the generator's own counts contradict one another"},
    {"CLIENT-STALLED", 13, Severity::doubtful,
     "the generator did not run for 1 % of the window or more"},
    {"STARVED", 14, Severity::doubtful,
     "connections waited for half of the window, and had no reply in it"},
    {"UNSTEADY", 15, Severity::doubtful, "the warm-up was to end when it is steady, and never was"},
    {"CLIENT-LIMITED", 16, Severity::doubtful, "the generator could not keep to its schedule"},
    {"NOT-SUSTAINED", 17, Severity::doubtful, "less than 99 % of the offered rate was sent"},
};

// At most 100, and never in powers of ten.
std::string percent(double share) {
  const double shown = std::min(100.0, 100 * share);
  return shown < 10 ? fmt::format("{:.2f} %", shown) : fmt::format("{:.0f} %", shown);
}

std::uint64_t wrong_replies(const ErrorCounts& errors) {
  return errors[static_cast<std::size_t>(ErrorClass::wrong_content)] +
         errors[static_cast<std::size_t>(ErrorClass::protocol_error)];
}

// Empty if every reply was right.
std::string wrong_replies(const TargetResult& result) {
  const ErrorCounts earlier = result.errors_before_window();
  constexpr auto unexpected = static_cast<std::size_t>(ErrorClass::unexpected_reply);
  const std::uint64_t within = wrong_replies(result.window.errors);
  const std::uint64_t before = wrong_replies(earlier);
  const std::uint64_t unasked = result.window.errors[unexpected] + earlier[unexpected];
  std::string text;
  if (within + before > 0) {
    text = fmt::format("wrong replies failed {} requests of the window and {} before it", within,
                       before);
  }
  if (unasked > 0) {
    text += fmt::format("{}{} connections had a reply without a request", text.empty() ? "" : "; ",
                        unasked);
  }
  return text;
}

// Little's law, as a check of the accounts: the mean number of requests in flight is the same
// whether it is integrated over time or added up from each request's time. And it cannot be larger
// than the room on the connections.
std::string broken_law(const LoadOptions& options, const TargetResult& result) {
  const double by_gauge = result.window.in_flight_by_gauge_s / result.duration_s;
  const double by_requests = result.window.in_flight_by_requests_s / result.duration_s;
  const double room = static_cast<double>(options.connections()) * options.model.depth;
  if (std::abs(by_gauge - by_requests) > bounds::law_tolerance * std::max(by_gauge, by_requests)) {
    return fmt::format("{:.2f} requests in flight on average, but their times add up to {:.2f}",
                       by_gauge, by_requests);
  }
  if (by_requests > room * (1 + bounds::law_tolerance)) {
    return fmt::format("{:.2f} requests in flight on average, where there is room for {:.0f}",
                       by_requests, room);
  }
  return {};
}

std::string unfinished(const LoadOptions& options, const TargetResult& result) {
  const ModelOptions& model = options.model;
  const std::string clients =
      fmt::format("{} of {} clients", result.unfinished, options.connections());
  if (model.sessions > 0) {
    return fmt::format("{} had not done {} sessions at the limit, --duration={:g}s", clients,
                       model.sessions, seconds(options.duration));
  }
  return fmt::format(
      "{} had not had their {:g} s at the limit, {:g} s later: they were connected "
      "too late, or never",
      clients, seconds(options.duration), seconds(options.connect_timeout));
}

std::string stalled_client(const TargetResult& result) {
  const Pauses& pauses = result.pauses;
  if (pauses.stalled_s <= bounds::stalled_share_max * result.duration_s) return {};
  return fmt::format(
      "the generator did not run for {:.2f} s of the window of {:.1f} s, {:.2f} s at "
      "a time; look for what stopped it or took its CPU, and measure again",
      pauses.stalled_s, result.duration_s, pauses.stall_longest_s);
}

// A slice in which the generator was late does not count. A neighbour makes it late for a while, a
// rate that is too high in nearly all slices.
std::string late_slices(const TargetResult& result) {
  const auto late =
      static_cast<std::size_t>(std::ranges::count(result.series, true, &IntervalRow::is_late));
  if (4 * late <= 3 * result.series.size()) return {};
  return fmt::format("the generator was late in {} of {} slices: p99 send lag above {:.0f} µs",
                     late, result.series.size(), bounds::send_lag_max_ns / 1e3);
}

// Of a schedule: whether the generator itself could not keep it.
std::string limited_client(const LoadOptions& options, const TargetResult& result) {
  const auto lag_p99_ns = static_cast<double>(result.window.send_lag.quantile_ns(0.99));
  const auto latency_p50_ns = static_cast<double>(result.window.latency.quantile_ns(0.5));
  const double lag_max_ns = send_lag_limit_ns(latency_p50_ns);
  if (options.slice > Duration::zero()) {
    if (const std::string late = late_slices(result); !late.empty()) return late;
  } else if (lag_p99_ns > lag_max_ns) {
    return fmt::format("p99 send lag {:.0f} µs, above {:.0f} µs", lag_p99_ns / 1e3,
                       lag_max_ns / 1e3);
  }
  const bool spins = options.pacing == Pacing::spin;  // then it is always busy
  if (!spins && result.cpu_busiest_worker > bounds::cpu_share_max) {
    return fmt::format("a generator thread was busy for {} of the window",
                       percent(result.cpu_busiest_worker));
  }
  return {};
}

// Of slices, those that count; all if none does.
std::string unsustained(const TargetResult& result) {
  auto intended = static_cast<double>(result.window.intended);
  auto sent = static_cast<double>(result.window.sent_in_time);
  const auto disturbed =
      static_cast<std::size_t>(std::ranges::count(result.series, true, &IntervalRow::is_disturbed));
  if (disturbed > 0 && disturbed < result.series.size()) {
    intended = sent = 0;
    for (const IntervalRow& row : result.series) {
      if (row.is_disturbed) continue;
      intended += static_cast<double>(row.intended);
      sent += static_cast<double>(row.sent_in_time);
    }
  }
  if (sent >= bounds::sent_share_min * intended) return {};
  return fmt::format("only {:.1f} % of the offered rate was sent", 100 * sent / intended);
}

LoadVerdict errors(const TargetResult& result) {
  const Tally& window = result.window;
  if (const std::string wrong = wrong_replies(result); !wrong.empty()) return {"ERRORS", wrong};
  const auto intended = static_cast<double>(window.intended);
  const std::uint64_t failed = window.failed_requests();
  const std::uint64_t of_connections = window.errors_total() - failed;
  if (window.intended > 0 &&
      static_cast<double>(window.errors_total()) > bounds::error_share_max * intended) {
    std::string text = fmt::format("{} of {} requests failed, {}", failed, window.intended,
                                   percent(static_cast<double>(failed) / intended));
    if (of_connections > 0) text += fmt::format("; {} errors of connections", of_connections);
    return {"ERRORS", text};
  }
  return {};
}

// Of a server that does not reply any more. A closed loop asks it little then, so the share of the
// requests that fail is small. A server that is slow has replied by the end of the drain.
std::string silence(const TargetResult& result) {
  const double silent_s = result.pauses.silence_at_end_s;
  const double silent_max_s =
      std::max(bounds::silence_max_s, bounds::silence_share_max * result.duration_s);
  if (silent_s >= silent_max_s && silent_s != Pauses::nothing_due) {
    return fmt::format(
        "no reply came in the last {:.1f} s of the window of {:.1f} s; the server was silent when "
        "the load ended",
        silent_s, result.duration_s);
  }
  if (result.asked > 0 && result.failed == result.asked) {
    return fmt::format(
        "on {0:.0f} of {0:.0f} connections with a request one timed out, or the last had no reply",
        result.asked);
  }
  return {};
}

// Of a window without a request or without a reply, unless the server was heard of before it: then
// its connections have starved.
std::string emptiness(const TargetResult& result) {
  if (result.starved > 0 && result.before.received > 0) return {};
  if (result.window.intended == 0) return "no request was issued in the window";
  if (result.window.completed == 0) return "no request had a reply";
  return {};
}

}  // namespace

std::span<const LoadVerdictRow> load_verdicts() { return rows; }

Severity severity_of(std::string_view verdict) {
  const auto* const row = std::ranges::find(rows, verdict, &LoadVerdictRow::name);
  assert(row != std::end(rows));
  return row->severity;
}

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::none: return "none";
    case Severity::doubtful: return "doubtful";
    case Severity::wrong: return "wrong";
  }
  std::unreachable();
}

int exit_status(std::span<const std::string_view> verdicts) {
  for (const LoadVerdictRow& row : rows) {
    if (row.exit_status != 0 && std::ranges::find(verdicts, row.name) != verdicts.end()) {
      return row.exit_status;
    }
  }
  return 0;
}

LoadVerdict verdict(const LoadOptions& options, const TargetResult& result, bool interrupted) {
  const ModelOptions& model = options.model;
  if (interrupted) return {"INTERRUPTED", fmt::format("stopped after {:.1f} s", result.duration_s)};
  if (model.keeps_open() && result.established < options.connections()) {
    return {"SHORT", fmt::format("{} of {} connections were open when the window began",
                                 result.established, options.connections())};
  }
  if (LoadVerdict found = errors(result); found.name != "VALID") return found;
  if (result.unfinished > 0) return {"UNFINISHED", unfinished(options, result)};
  if (const std::string law = broken_law(options, result); !law.empty()) return {"IMPOSSIBLE", law};
  if (const std::string stall = stalled_client(result); !stall.empty())
    return {"CLIENT-STALLED", stall};
  for (const std::string& silent : {silence(result), emptiness(result)})
    if (!silent.empty()) return {"ERRORS", silent};
  if (result.starved > 0) {
    return {"STARVED", fmt::format("{:.0f} of {:.0f} connections with a request had no reply in "
                                   "the window of {:.1f} s",
                                   result.starved, result.asked, result.duration_s)};
  }
  if (result.steady == false) {
    return {"UNSTEADY", fmt::format("not steady after {:.1f} s of warm-up", result.warmup_s)};
  }
  if (model.rate.to_per_s <= 0) return {};
  // A probe of `hold` asks whether a connection is alive, not how soon the reply comes.
  if (model.name != ModelName::hold) {
    const std::string client = limited_client(options, result);
    if (!client.empty()) return {"CLIENT-LIMITED", client};
  }
  if (const std::string rate = unsustained(result); !rate.empty()) return {"NOT-SUSTAINED", rate};
  return {};
}

}  // namespace serverlab
