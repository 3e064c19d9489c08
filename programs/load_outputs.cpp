#include "programs/load_outputs.h"

#include "load/connection_log.h"
#include "programs/command_line.h"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

namespace serverlab {
namespace {

constexpr auto told = "What is told, and where";

constexpr Setting rows[] = {
    {"json", "FILE", "", "the result (docs/results-schema.md)", told},
    {"hlog", "FILE", "", "HdrHistogram's interval log, a line a second or a slice", told},
    {"hgrm", "FILE", "", "HdrHistogram's percentile spectrum of the latency", told},
    {"wrk2", "FILE", "", "the text that wrk2 prints", told},
    {"fortio", "FILE", "", "Fortio's JSON", told},
    {"benchstat", "FILE", "", "Go's benchmark text, a line a second or a slice", told},
    {"connection-log", "FILE", "", "a row a connection, as CSV", told},
};

constexpr std::string_view of_one_target[] = {"hgrm", "wrk2", "fortio"};

}  // namespace

std::span<const Setting> output_settings() { return rows; }

LoadOutputs::LoadOutputs(const Settings& settings, const LoadOptions& options,
                         std::string service) :
    options_(options), service_(std::move(service)) {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME, &time);
  started_at_ = fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(time.tv_sec),
                            time.tv_nsec / 1'000'000);
  for (const Setting& setting : rows) {
    const std::string format(setting.name);
    const std::string& path = settings.text(format);
    if (path.empty()) continue;
    files_[format].open(path);
    if (!files_[format]) throw UsageError(fmt::format("--{}: cannot write {}", format, path));
    paths_[format] = path;
  }
  for (const std::string_view format : of_one_target) {
    if (options.targets.size() > 1 && paths_.contains(std::string(format))) {
      throw UsageError(
          fmt::format("--{} holds one target, not {}", format, options.targets.size()));
    }
  }
  if (std::ofstream* out = file("connection-log")) *out << connection_log_header << std::flush;
  if (std::ofstream* out = file("hlog")) {
    const double started_s =
        static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    hlog_ = std::make_unique<HlogWriter>(*out, started_s);
  }
}

std::string LoadOutputs::connection_log() const {
  const auto found = paths_.find("connection-log");
  return found == paths_.end() ? "" : found->second;
}

void LoadOutputs::interval(const IntervalRow& row, const Tally& tally) {
  if (hlog_) hlog_->write(row, tally.latency, options_.targets[row.target].to_string());
}

void LoadOutputs::finish(const LoadResult& result, const Json& document) {
  const TargetResult& first = *result.targets.front();
  const std::string target = options_.targets.front().to_string();
  if (std::ofstream* out = file("json")) *out << document.dump(1) << '\n';
  if (std::ofstream* out = file("hgrm")) write_hgrm(*out, first.window.latency);
  if (std::ofstream* out = file("wrk2")) write_wrk2(*out, options_, first);
  if (std::ofstream* out = file("fortio")) write_fortio(*out, options_, first, started_at_, target);
  if (std::ofstream* out = file("benchstat")) write_benchstat(*out, options_, result, service_);
  for (auto& [format, out] : files_) {
    out.close();
    if (!out) throw std::runtime_error(fmt::format("cannot write {} whole", paths_[format]));
  }
}

std::ofstream* LoadOutputs::file(const std::string& format) {
  const auto found = files_.find(format);
  return found == files_.end() ? nullptr : &found->second;
}

}  // namespace serverlab
