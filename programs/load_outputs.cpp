#include "programs/load_outputs.h"

#include "load/connection_log.h"
#include "programs/command_line.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace serverlab {
namespace {

constexpr auto told = "Outputs";

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

void refuse_outputs(const Settings& settings, const LoadOptions& options) {
  for (const std::string_view format : of_one_target) {
    if (options.targets.size() > 1 && !settings.text(format).empty()) {
      throw UsageError(
          fmt::format("--{} holds one target, not {}", format, options.targets.size()));
    }
  }
}

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
  write("connection-log", [](std::ostream& out) { out << connection_log_header; });
  write("hlog", [&](std::ostream& out) {
    const double started_s =
        static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    hlog_ = std::make_unique<HlogWriter>(out, started_s);
  });
}

std::string LoadOutputs::connection_log() const {
  const auto found = paths_.find("connection-log");
  return found == paths_.end() ? "" : found->second;
}

void LoadOutputs::interval(const IntervalRow& row, const Tally& tally) {
  write("hlog", [&](std::ostream&) {
    hlog_->write(row, tally.latency, options_.targets[row.target].to_string());
  });
}

void LoadOutputs::finish(const LoadResult& result, const Json& document) {
  const TargetResult& first = *result.targets.front();
  const std::string target = options_.targets.front().to_string();
  write("json", [&](std::ostream& out) {
    out << document.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
  });
  write("hgrm", [&](std::ostream& out) { write_hgrm(out, first.window.latency); });
  write("wrk2", [&](std::ostream& out) { write_wrk2(out, options_, first); });
  write("fortio",
        [&](std::ostream& out) { write_fortio(out, options_, first, started_at_, target); });
  write("benchstat", [&](std::ostream& out) { write_benchstat(out, options_, result, service_); });
  for (auto& [format, file] : files_) {
    write(format, [&own = file](std::ostream&) { own.close(); });
  }
  if (result.connection_log_error != 0)
    failures_.emplace("connection-log", result.connection_log_error);
  std::vector<std::string> sentences;
  for (const auto& [format, error] : failures_)
    sentences.push_back(fmt::format("cannot write {}: {}", paths_[format], std::strerror(error)));
  if (!sentences.empty()) throw std::runtime_error(fmt::format("{}", fmt::join(sentences, "; ")));
}

void LoadOutputs::write(const std::string& format, const std::function<void(std::ostream&)>& body) {
  const auto file = files_.find(format);
  if (file == files_.end()) return;
  errno = 0;
  body(file->second);
  file->second.flush();
  if (!file->second) failures_.emplace(format, errno == 0 ? EIO : errno);
}

}  // namespace serverlab
