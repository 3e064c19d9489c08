#include "programs/load_display.h"

#include "base/histogram_codec.h"
#include "load/result_json.h"
#include "programs/load_summary.h"
#include "programs/standard_streams.h"
#include "programs/terminal.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace serverlab {
namespace {

// In place of the line that was there.
void show(std::string_view line) { print_out(fmt::format("\r\033[K{}", line)); }

std::string latency(std::int64_t ns) {
  return ns < 0 ? "–" : human_duration(static_cast<double>(ns));
}

std::string live_line(const IntervalRow& row, double left_s) {
  const double rate_per_s =
      static_cast<double>(row.received) / std::max(row.to_s - row.from_s, 1e-9);
  const std::string errors = fmt::format("errors {}", row.errors);
  return fmt::format("{:>9}/s  p50 {:>7}  p99 {:>7}  {}  connections {}  {:.0f} s left",
                     grouped(rate_per_s), latency(row.latency_p50_ns), latency(row.latency_p99_ns),
                     styled(errors, row.errors > 0 ? Style::bad : Style::plain), row.established,
                     std::max(0.0, left_s));
}

LoadEvents events_for_people(const LoadOptions& options) {
  const double windows_s = seconds(options.duration) * static_cast<double>(options.targets.size());
  return {
      .connected =
          [](std::uint32_t established) {
            show(fmt::format("{} connected, warming up …", established));
          },
      .at_border = [](std::uint32_t) {},
      .window_begun = [] { show("measuring …"); },
      .interval = [windows_s](const IntervalRow& row,
                              const Tally&) { show(live_line(row, windows_s - row.to_s)); },
      .window_ended = [] { show("waiting for what is in flight …"); },
  };
}

LoadEvents events_for_programs(const LoadOptions& options) {
  const bool has_several_targets = options.targets.size() > 1;
  const bool is_part = options.part.of > 1;
  return {
      .connected =
          [](std::uint32_t established) {
            print_event({{"event", "connected"}, {"established", established}});
          },
      .at_border =
          [](std::uint32_t target) { print_event({{"event", "border"}, {"target", target}}); },
      .window_begun = [] { print_event({{"event", "window"}}); },
      .interval =
          [has_several_targets, is_part](const IntervalRow& row, const Tally& tally) {
            Json event = {{"event", "interval"}};
            if (has_several_targets) event["target"] = row.target;
            event.update(interval_json(row));
            if (is_part) event["latency_hdr"] = encode(tally.latency);  // to be merged
            print_event(event);
          },
      .window_ended = [] { print_event({{"event", "drain"}}); },
  };
}

}  // namespace

void LoadDisplay::started(const Json& event) const {
  if (!to_people_) return print_event(event);
  show(fmt::format("connecting {} to {} …", options_.connections(),
                   options_.targets.size() == 1
                       ? options_.targets.front().to_string()
                       : fmt::format("each of {} targets", options_.targets.size())));
}

LoadEvents LoadDisplay::events() const {
  return to_people_ ? events_for_people(options_) : events_for_programs(options_);
}

void LoadDisplay::ended(const Json& document) const {
  if (!to_people_) return print_event({{"event", "end"}, {"result", document}});
  show("");
  print_load_summary(document);
}

}  // namespace serverlab
