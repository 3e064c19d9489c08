#include "load/formats/formats.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace serverlab {
namespace {

using Json = nlohmann::ordered_json;

constexpr double ns_per_s = 1e9;
constexpr std::size_t buckets_together = 64;  // Fortio draws bars: a few hundred are enough

// Runs of neighbouring buckets, each with the share of all values up to its end.
Json data_of(const Histogram& histogram) {
  Json data = Json::array();
  std::uint64_t seen = 0;
  const std::size_t first = histogram.first_index() / buckets_together * buckets_together;
  for (std::size_t i = first; i <= histogram.last_index(); i += buckets_together) {
    std::uint64_t count = 0;
    for (std::size_t k = i; k < i + buckets_together && k <= histogram.last_index(); ++k) {
      count += histogram.count_at(k);
    }
    if (count == 0) continue;
    seen += count;
    data.push_back(
        {{"Start", static_cast<double>(Buckets::lowest_of(i)) / ns_per_s},
         {"End", static_cast<double>(Buckets::highest_of(i + buckets_together - 1)) / ns_per_s},
         {"Percent", 100.0 * static_cast<double>(seen) / static_cast<double>(histogram.count())},
         {"Count", count}});
  }
  return data;
}

double deviation_s(const Json& data, double mean_s, double count) {
  double squares = 0;
  for (const Json& bucket : data) {
    const double middle = (bucket["Start"].get<double>() + bucket["End"].get<double>()) / 2;
    squares += bucket["Count"].get<double>() * (middle - mean_s) * (middle - mean_s);
  }
  return count > 0 ? std::sqrt(squares / count) : 0;
}

Json histogram_json(const Histogram& histogram) {
  const Json data = histogram.count() > 0 ? data_of(histogram) : Json::array();
  const double mean_s = histogram.mean_ns() / ns_per_s;
  Json percentiles = Json::array();
  for (const double percentile : {50.0, 75.0, 90.0, 99.0, 99.9}) {
    const auto value_ns =
        static_cast<double>(std::max<std::int64_t>(0, histogram.quantile_ns(percentile / 100)));
    percentiles.push_back({{"Percentile", percentile}, {"Value", value_ns / ns_per_s}});
  }
  return {{"Count", histogram.count()},
          {"Min", static_cast<double>(histogram.min_ns()) / ns_per_s},
          {"Max", static_cast<double>(histogram.max_ns()) / ns_per_s},
          {"Sum", histogram.sum_ns() / ns_per_s},
          {"Avg", mean_s},
          {"StdDev", deviation_s(data, mean_s, static_cast<double>(histogram.count()))},
          {"Data", data},
          {"Percentiles", percentiles}};
}

Json return_codes(const Tally& window) {
  Json codes = {{"OK", window.completed}};
  for (std::size_t i = 0; i < error_classes; ++i) {
    if (window.errors[i] > 0) codes[std::string(error_names[i])] = window.errors[i];
  }
  return codes;
}

}  // namespace

void write_fortio(std::ostream& out, const LoadOptions& options, const TargetResult& result,
                  const std::string& started_at, const std::string& target) {
  const Tally& window = result.window;
  const double rate_per_s = options.model.rate.to_per_s;
  const Histogram none;
  const auto duration_ns = static_cast<std::int64_t>(result.duration_s * ns_per_s);
  const Json document = {
      {"RunType", "TCP"},
      {"Labels", fmt::format("serverlab {}", target)},
      {"StartTime", started_at},
      {"RequestedQPS", rate_per_s > 0 ? fmt::format("{}", rate_per_s) : "max"},
      {"RequestedDuration", fmt::format("{}s", seconds(options.duration))},
      {"ActualQPS", static_cast<double>(window.received) / std::max(result.duration_s, 1e-9)},
      {"ActualDuration", duration_ns},
      {"NumThreads", options.connections()},
      {"Version", "serverlab"},
      {"DurationHistogram", histogram_json(window.latency)},
      {"ErrorsDurationHistogram", histogram_json(none)},
      {"Exactly", 0},
      {"Jitter", false},
      {"Uniform", options.model.arrivals == Arrivals::constant},
      {"NoCatchUp", false},
      {"RunID", 0},
      {"AccessLoggerInfo", ""},
      {"Destination", "tcp://" + target},
      {"ReqTimeout", options.timeout.count()},
      {"RetCodes", return_codes(window)},
      {"SocketCount", options.connections() + window.reopened},
      {"BytesSent", window.bytes_sent},
      {"BytesReceived", window.bytes_received},
  };
  out << document.dump(1) << '\n';
}

}  // namespace serverlab
