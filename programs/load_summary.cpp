#include "programs/load_summary.h"

#include "load/bounds.h"
#include "load/verdict.h"
#include "programs/terminal.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace serverlab {
namespace {

constexpr int label_columns = 14;
constexpr std::pair<const char*, double> columns[] = {{"mean", 0},   {"p50", 0.5},     {"p90", 0.9},
                                                      {"p99", 0.99}, {"p99_9", 0.999}, {"max", 1}};

std::string text(const Json& value) { return value.get<std::string>(); }

void print_line(const char* label, const std::string& what) {
  fmt::print("  {:<{}}{}\n", label, label_columns, what);
}

Style style_of(std::string_view verdict) {
  switch (severity_of(verdict)) {
    case Severity::none: return Style::good;
    case Severity::doubtful: return Style::doubtful;
    case Severity::wrong: return Style::bad;
  }
  std::unreachable();
}

// Padded before it is styled, as the terminal's sequences have no width.
std::string verdict_text(const Json& result, std::size_t width = 0) {
  const std::string name = text(result["verdict"]["name"]);
  return styled(fmt::format("{:<{}}", name, width), style_of(name));
}

std::string counted(const Json& number, std::string_view noun) {
  const auto count = number.get<std::uint64_t>();
  return fmt::format("{} {}{}", grouped(static_cast<double>(count)), noun, count == 1 ? "" : "s");
}

// A figure of times: "–" where there were too few to say, and beyond those that were answered
// "> timeout".
std::string figure(const Json& times, const char* name, double quantile) {
  const auto unanswered = times["unanswered"].get<double>();
  const auto count = times["count"].get<double>();
  const bool is_percentile = quantile > 0 && quantile < 1;
  if (quantile == 1 && unanswered > 0) return "> timeout";
  if (!times[name].is_null()) return human_duration(times[name].get<double>());
  const bool is_enough =
      is_percentile && (count + unanswered) * (1 - quantile) >= bounds::values_beyond_min;
  return is_enough ? "> timeout" : "–";
}

std::string load_text(const Json& result) {
  const Json& load = result["load"];
  std::string words = fmt::format("{} loop", text(load["model"]));
  if (text(load["model"]) != "closed") words = fmt::format("model {}", text(load["model"]));
  words += ", " + counted(load["connections"], "connection");
  if (load["depth"] != 1) words += fmt::format(", depth {}", load["depth"].dump());
  if (load["rate_per_s"] > 0)
    words += fmt::format(", {}/s offered", grouped(load["rate_per_s"].get<double>()));
  return words;
}

std::string errors_text(const Json& errors) {
  std::string words;
  for (const auto& [name, count] : errors.items())
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", count.dump(), name);
  return words.empty() ? "none" : styled(words, Style::bad);
}

void print_wrong_reply(const Json& wrong) {
  if (wrong.is_null()) return;
  print_line("wrong reply", fmt::format("the first was {}, on connection {}", text(wrong["error"]),
                                        wrong["connection"].dump()));
  print_line("  expected", text(wrong["expected"]));
  print_line("  received", text(wrong["received"]));
}

void print_times(const Json& result) {
  std::string heads;
  for (const auto& [name, quantile] : columns) {
    const std::string_view shown = quantile == 0.999 ? "p99.9" : name;
    heads += fmt::format("{:>11}", shown);
  }
  fmt::print("\n  {}\n", styled(fmt::format("{:<{}}{}", "", label_columns, heads), Style::faint));
  constexpr std::pair<const char*, const char*> rows[] = {{"latency", "latency_ns"},
                                                          {"service time", "service_time_ns"},
                                                          {"send lag", "send_lag_ns"},
                                                          {"connect", "connect_ns"}};
  for (const auto& [label, field] : rows) {
    std::string line;
    for (const auto& [name, quantile] : columns)
      line += fmt::format("{:>11}", figure(result[field], name, quantile));
    print_line(label, line);
  }
}

void print_connections(const Json& result) {
  const Json& connections = result["connections"];
  std::string line = fmt::format("{} of {} open", connections["established"].dump(),
                                 connections["requested"].dump());
  if (connections["lost"] > 0) {
    line += ", " + styled(fmt::format("{} lost, {} reopened", connections["lost"].dump(),
                                      connections["reopened"].dump()),
                          Style::bad);
  }
  if (connections["starved"] > 0) {
    line += ", " + styled(fmt::format("{:.0f} had no reply", connections["starved"].get<double>()),
                          Style::bad);
  }
  const Json& fairness = result["fairness"];
  line += fmt::format("; requests on each: {} to {}", grouped(fairness["min"].get<double>()),
                      grouped(fairness["max"].get<double>()));
  print_line("connections", line);
}

// A time without a reply is worth a line where it is longer than a busy machine makes it.
void print_silence(const Json& pauses) {
  constexpr double silence_min_s = 0.2;
  const double silence_s = pauses["silence_longest_s"].get<double>();
  if (silence_s < silence_min_s) return;
  print_line("silence", fmt::format("no reply for {:.2f} s while one was due", silence_s));
}

void print_cpu(const Json& result) {
  const Json& cpu = result["cpu"];
  std::string line = fmt::format("generator {:.2f} µs a request, busiest thread {:.0f} %",
                                 cpu["per_request_us"].get<double>(),
                                 std::min(100.0, 100 * cpu["busiest_thread"].get<double>()));
  if (!cpu["server_per_request_us"].is_null())
    line += fmt::format("; server {:.2f} µs", cpu["server_per_request_us"].get<double>());
  print_line("CPU", line);
}

void print_target(const Json& result, const std::string& target) {
  const Json& requests = result["requests"];
  fmt::print("{}  {}, {}\n", verdict_text(result), target, load_text(result));
  const std::string reason = text(result["verdict"]["reason"]);
  if (!reason.empty()) print_line("", reason);
  const auto unanswered =
      requests["unanswered"].get<std::uint64_t>() + requests["unsent"].get<std::uint64_t>();
  std::string answered =
      fmt::format("{} answered, {} not", counted(requests["completed"], "request"),
                  grouped(static_cast<double>(unanswered)));
  if (requests["dropped"] > 0) answered += fmt::format(", {} dropped", requests["dropped"].dump());
  fmt::print("\n");
  print_line("goodput", fmt::format("{}/s over {:.1f} s: {}",
                                    grouped(result["rate"]["goodput_per_s"].get<double>()),
                                    result["window"]["duration_s"].get<double>(), answered));
  if (const Json& done = result["window"]["all_done_s"]; !done.is_null())
    print_line("all done", fmt::format("after {:.3f} s", done.get<double>()));
  print_line("errors", errors_text(requests["errors"]));
  if (!requests["errors_before_window"].empty())
    print_line("  earlier", errors_text(requests["errors_before_window"]));
  print_wrong_reply(requests["wrong_reply"]);
  print_times(result);
  fmt::print("\n");
  print_connections(result);
  print_silence(result["pauses"]);
  print_cpu(result);
}

// Of several targets a line each: what else there is, the files hold.
void print_row(const Json& result, std::size_t width) {
  const Json& cpu = result["cpu"];
  const Json& times = result["latency_ns"];
  const bool has_server = !cpu["server_per_request_us"].is_null();
  fmt::print(
      "  {:<{}}  {} {:>11} {:>10} {:>10} {:>12}  {}\n", text(result["target"]), width,
      verdict_text(result, 14), grouped(result["rate"]["goodput_per_s"].get<double>()),
      figure(times, "p50", 0.5), figure(times, "p99", 0.99),
      has_server ? fmt::format("{:.2f} µs", cpu["server_per_request_us"].get<double>()) : "–",
      errors_text(result["requests"]["errors"]));
  const std::string reason = text(result["verdict"]["reason"]);
  if (!reason.empty()) fmt::print("  {:<{}}  {}\n", "", width, reason);
  const Json& wrong = result["requests"]["wrong_reply"];
  if (!wrong.is_null()) {
    fmt::print("  {:<{}}  expected {}\n", "", width, text(wrong["expected"]));
    fmt::print("  {:<{}}  received {}\n", "", width, text(wrong["received"]));
  }
}

std::string ratio_text(const Json& ratio) {
  if (ratio.is_null()) return "–";
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", ratio["median"].get<double>(),
                     ratio["low"].get<double>(), ratio["high"].get<double>());
}

void print_targets(const Json& document) {
  const Json& targets = document["targets"];
  std::size_t width = 0;
  for (const Json& result : targets) width = std::max(width, text(result["target"]).size());
  fmt::print("{} targets in turns, {} slices: {}\n\n", targets.size(), document["slices"].size(),
             load_text(targets.front()));
  fmt::print("  {}\n",
             styled(fmt::format("{:<{}}  {:<14} {:>11} {:>10} {:>10} {:>12}  {}", "target", width,
                                "verdict", "goodput/s", "p50", "p99", "server CPU", "errors"),
                    Style::faint));
  for (const Json& result : targets) print_row(result, width);
  fmt::print("\n  {}\n", styled(fmt::format("over {}, slice by slice, with the 95 % interval",
                                            text(targets.front()["target"])),
                                Style::faint));
  for (const Json& ratio : document["ratios"]) {
    fmt::print("  {:<{}}  goodput {}   server CPU per request {}\n", text(ratio["target"]), width,
               ratio_text(ratio["goodput"]), ratio_text(ratio["server_cpu_per_request"]));
  }
}

}  // namespace

void print_load_summary(const Json& document) {
  if (document.contains("targets")) return print_targets(document);
  print_target(document, text(document["settings"]["target"]));
}

}  // namespace serverlab
