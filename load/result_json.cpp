#include "load/result_json.h"

#include "load/models/catalog.h"
#include "load/paired_slices.h"
#include "load/times_json.h"
#include "load/verdict.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace serverlab {
namespace {

using Json = nlohmann::ordered_json;

// A figure without values is null.
template <class Figure>
Json null_if(bool nothing, Figure figure) {
  return nothing ? Json() : Json(figure);
}

Json errors_json(const ErrorCounts& errors) {
  Json json = Json::object();
  for (std::size_t i = 0; i < error_classes; ++i) {
    if (errors[i] > 0) json[std::string(error_names[i])] = errors[i];
  }
  return json;
}

Json wrong_reply_json(const WrongReply& wrong) {
  if (wrong.is_none()) return {};
  return {{"error", name_of(wrong.error())},
          {"connection", wrong.connection()},
          {"expected", wrong.expected()},
          {"received", wrong.received()}};
}

// On CLOCK_MONOTONIC.
std::int64_t ns_of(Instant instant) { return instant.time_since_epoch().count(); }

double per_s(std::uint64_t count, double duration_s) {
  return duration_s > 0 ? static_cast<double>(count) / duration_s : 0;
}

Json cpu_json(const TargetResult& result) {
  const auto received = static_cast<double>(result.window.received);
  return {{"user_s", result.cpu_s * result.cpu_user_share},
          {"system_s", result.cpu_s * (1 - result.cpu_user_share)},
          {"per_request_us", received > 0 ? 1e6 * result.cpu_s / received : 0},
          {"busiest_thread", result.cpu_busiest_worker},
          {"server_s", result.server_cpu_s ? Json(*result.server_cpu_s) : Json()},
          {"server_per_request_us",
           result.server_cpu_s && result.answered > 0
               ? Json(1e6 * *result.server_cpu_s / static_cast<double>(result.answered))
               : Json()}};
}

Json requests_json(const TargetResult& result) {
  const Tally& window = result.window;
  return {{"intended", window.intended},
          {"sent", window.sent},
          {"completed", window.completed},
          {"received", window.received},
          {"unanswered", window.unanswered},
          {"unsent", window.unsent()},
          {"dropped", window.dropped},
          {"in_flight_at_end", window.in_flight_at_end},
          {"errors", errors_json(window.errors)},
          {"errors_before_window", errors_json(result.errors_before_window())},
          {"wrong_reply", wrong_reply_json(result.wrong_reply)}};
}

Json connections_json(const LoadOptions& options, const TargetResult& result) {
  return {{"requested", options.connections()},
          {"established", result.established},
          {"alive", result.alive},
          {"asked", result.asked},
          {"starved", result.starved},
          {"lost", result.window.lost},
          {"reopened", result.window.reopened},
          {"outage_s", result.window.outage_s}};
}

Json fairness_json(const Fairness& fairness) {
  return {{"min", fairness.min},
          {"mean", fairness.mean},
          {"max", fairness.max},
          {"cv", fairness.cv},
          {"jain", fairness.jain}};
}

// Latency by the classes of requests. The class of a request without a reply is not kept.
Json classes_json(const Tally& window, std::span<const std::string_view> classes) {
  Json json = Json::object();
  for (std::size_t i = 0; i < classes.size(); ++i) {
    json[std::string(classes[i])] = times_json(window.latency_of_class[i]);
  }
  return json;
}

Json slice_json(const IntervalRow& row) {
  Json json = interval_json(row);
  json["target"] = row.target;
  json["send_lag_p99_ns"] = row.send_lag_p99_ns;
  json["answered"] = row.answered;
  json["generator_cpu_s"] = row.generator_cpu_s;
  json["server_cpu_s"] = row.server_cpu_s ? Json(*row.server_cpu_s) : Json();
  json["other_cpus_busy"] = row.other_cpus_busy ? Json(*row.other_cpus_busy) : Json();
  json["disturbed"] = row.is_disturbed;
  return json;
}

Json target_json(const LoadOptions& options, const TargetResult& result, const LoadResult& load) {
  const Tally& window = result.window;
  const double duration_s = result.duration_s;
  const double mean = duration_s > 0 ? 1 / duration_s : 0;
  const auto [name, reason] = verdict(options, result, load.interrupted);
  // What was never sent is unanswered as well; what was dropped is counted apart.
  const std::uint64_t unanswered = window.unanswered + window.unsent();
  Json series = Json::array();
  const bool is_sliced = options.slice > Duration::zero();
  for (const IntervalRow& row : result.series)
    series.push_back(is_sliced ? slice_json(row) : interval_json(row));
  Histogram connect = result.before.connect;
  connect.merge(window.connect);
  return {
      {"schema", result_schema},
      {"verdict", {{"name", name}, {"reason", reason}}},
      {"load",
       {{"model", name_of(options.model.name)},
        {"connections", options.model.connections},
        {"depth", options.model.depth},
        {"rate_per_s", options.model.rate.to_per_s},
        {"workers", options.workers()},
        {"part", options.part.number},
        {"parts", options.part.of}}},
      {"window",
       {{"duration_s", duration_s},
        {"warmup_s", result.warmup_s},
        {"steady", result.steady ? Json(*result.steady) : Json()},
        {"all_done_s", result.done_s ? Json(*result.done_s) : Json()},
        {"began_ns", load.began == Instant::max() ? Json() : Json(ns_of(load.began))}}},
      {"requests", requests_json(result)},
      {"rate",
       {{"offered_per_s", per_s(window.intended, duration_s)},
        {"achieved_per_s", per_s(window.sent_in_time, duration_s)},
        {"goodput_per_s", per_s(window.received, duration_s)}}},
      {"bytes", {{"sent", window.bytes_sent}, {"received", window.bytes_received}}},
      {"latency_ns", times_json(window.latency, unanswered)},
      {"classes", classes_json(window, load.classes)},
      {"service_time_ns", times_json(window.service_time, window.unanswered)},
      {"send_lag_ns", times_json(window.send_lag)},
      {"connect_ns", times_json(connect)},
      {"session_ns", times_json(window.session)},
      {"connections", connections_json(options, result)},
      {"fairness", fairness_json(result.fairness)},
      {"pauses",
       {{"stalled_s", result.pauses.stalled_s},
        {"stall_longest_s", result.pauses.stall_longest_s},
        {"silence_longest_s", result.pauses.silence_longest_s}}},
      {"in_flight",
       {{"by_gauge", window.in_flight_by_gauge_s * mean},
        {"by_requests", window.in_flight_by_requests_s * mean}}},
      {"cpu", cpu_json(result)},
      {"series", series},
  };
}

Json ratio_json(const std::optional<PairedRatio>& ratio) {
  if (!ratio) return {};
  return {{"median", ratio->median},
          {"low", ratio->low},
          {"high", ratio->high},
          {"pairs", ratio->pairs}};
}

// Each target over the first.
Json ratios_json(const LoadOptions& options, const LoadResult& result) {
  Json ratios = Json::array();
  const TargetResult& under = *result.targets.front();
  for (std::size_t i = 1; i < result.targets.size(); ++i) {
    const TargetResult& over = *result.targets[i];
    ratios.push_back({{"target", options.targets[i].to_string()},
                      {"goodput", ratio_json(goodput_ratio(over, under))},
                      {"server_cpu_per_request", ratio_json(server_cpu_ratio(over, under))}});
  }
  return ratios;
}

}  // namespace

Json interval_json(const IntervalRow& row) {
  const bool empty = row.latency_mean_ns == 0;
  return {{"t_s", row.to_s},
          {"duration_s", row.to_s - row.from_s},
          {"completed", row.received},
          {"errors", row.errors},
          {"mean_ns", null_if(empty, row.latency_mean_ns)},
          {"p50_ns", null_if(row.latency_p50_ns < 0, row.latency_p50_ns)},
          {"p99_ns", null_if(row.latency_p99_ns < 0, row.latency_p99_ns)},
          {"established", row.established}};
}

Json result_json(const LoadOptions& options, const LoadResult& result) {
  if (result.targets.size() == 1) return target_json(options, *result.targets.front(), result);
  std::vector<IntervalRow> rows;
  Json targets = Json::array();
  for (std::size_t i = 0; i < result.targets.size(); ++i) {
    Json json = target_json(options, *result.targets[i], result);
    json["target"] = options.targets[i].to_string();
    json.erase("series");
    targets.push_back(std::move(json));
    rows.insert(rows.end(), result.targets[i]->series.begin(), result.targets[i]->series.end());
  }
  std::ranges::sort(rows, {}, &IntervalRow::from_s);
  Json slices = Json::array();
  for (const IntervalRow& row : rows) slices.push_back(slice_json(row));
  return {{"schema", result_schema},
          {"targets", targets},
          {"ratios", ratios_json(options, result)},
          {"slices", slices}};
}

}  // namespace serverlab
