#include "programs/load_display.h"

#include "load/result_json.h"

#include <cstdio>
#include <fmt/format.h>

namespace serverlab {
namespace {

// Three significant digits in the unit that suits them: "57.0 µs", "1.20 ms".
std::string human_duration(const Json& value_ns) {
  if (value_ns.is_null()) return "> timeout";
  const double ns = value_ns.get<double>();
  const auto [factor, unit] = ns < 1e3   ? std::pair(1.0, "ns")
                              : ns < 1e6 ? std::pair(1e3, "µs")
                              : ns < 1e9 ? std::pair(1e6, "ms")
                                         : std::pair(1e9, "s");
  const double value = ns / factor;
  return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, unit);
}

void print_latency(const char* name, const Json& figures) {
  fmt::print("  {:<14}mean {:>9}   p50 {:>9}   p90 {:>9}   p99 {:>9}   p99.9 {:>9}   max {:>9}\n",
             name, human_duration(figures["mean"]), human_duration(figures["p50"]),
             human_duration(figures["p90"]), human_duration(figures["p99"]),
             human_duration(figures["p99_9"]), human_duration(figures["max"]));
}

void print_summary(const Json& document) {
  const Json& requests = document["requests"];
  const Json& fairness = document["fairness"];
  const Json& cpu = document["cpu"];
  fmt::print("\r\033[K{}  {}\n", document["verdict"]["name"].get<std::string>(),
             document["verdict"]["reason"].get<std::string>());
  fmt::print("  {:<14}{:.0f}/s over {:.1f} s\n", "goodput",
             document["rate"]["goodput_per_s"].get<double>(),
             document["window"]["duration_s"].get<double>());
  fmt::print("  {:<14}{} intended, {} sent, {} answered, {} not\n", "requests",
             requests["intended"].dump(), requests["sent"].dump(), requests["completed"].dump(),
             requests["unanswered"].dump());
  print_latency("latency", document["latency_ns"]);
  print_latency("service time", document["service_time_ns"]);
  print_latency("send lag", document["send_lag_ns"]);
  fmt::print(
      "  {:<14}{} of {} open, {} lost, {} reopened; requests each: min {:.0f}, mean {:.0f}, max "
      "{:.0f}\n",
      "connections", document["connections"]["established"].dump(),
      document["connections"]["requested"].dump(), document["connections"]["lost"].dump(),
      document["connections"]["reopened"].dump(), fairness["min"].get<double>(),
      fairness["mean"].get<double>(), fairness["max"].get<double>());
  fmt::print("  {:<14}{:.2f} µs a request, busiest thread {:.0f} %\n", "own CPU",
             cpu["per_request_us"].get<double>(), 100 * cpu["busiest_thread"].get<double>());
  for (const auto& [name, count] : requests["errors"].items())
    fmt::print("  {:<14}{} {}\n", "errors", name, count.dump());
}

}  // namespace

void LoadDisplay::started(const Json& event) const {
  if (!to_people_) return print_event(event);
  fmt::print("connecting {} to {} …", options_.model.connections,
             options_.targets.front().to_string());
  std::fflush(stdout);
}

LoadEvents LoadDisplay::events() const {
  if (!to_people_) {
    return {
        .connected =
            [](std::uint32_t established) {
              print_event({{"event", "connected"}, {"established", established}});
            },
        .window_begun = [] { print_event({{"event", "window"}}); },
        .interval =
            [](const IntervalRow& row, const Tally&) {
              Json event = {{"event", "interval"}};
              event.update(interval_json(row));
              print_event(event);
            },
        .window_ended = [] { print_event({{"event", "drain"}}); },
    };
  }
  const auto show = [](const std::string& line) {
    fmt::print("\r\033[K{}", line);
    std::fflush(stdout);
  };
  return {
      .connected =
          [show](std::uint32_t established) {
            show(fmt::format("{} connected, warming up …", established));
          },
      .window_begun = [show] { show("measuring …"); },
      .interval =
          [show, window_s = seconds(options_.duration)](const IntervalRow& row, const Tally&) {
            show(fmt::format(
                "{:>9.0f}/s   p50 {:>9}   p99 {:>9}   errors {}   connections {}   {:.0f} s left",
                static_cast<double>(row.received) / std::max(row.to_s - row.from_s, 1e-9),
                human_duration(row.latency_p50_ns), human_duration(row.latency_p99_ns), row.errors,
                row.established, std::max(0.0, window_s - row.to_s)));
          },
      .window_ended = [show] { show("waiting for what is in flight …"); },
  };
}

void LoadDisplay::ended(const Json& document) const {
  if (to_people_ && !document.contains("targets")) return print_summary(document);
  if (to_people_) {
    for (const Json& target : document["targets"]) {
      fmt::print("\n{}\n", target["target"].get<std::string>());
      print_summary(target);
    }
    return;
  }
  print_event({{"event", "end"}, {"result", document}});
}

}  // namespace serverlab
