#pragma once

// The files that a load's result is written to, in whichever formats were asked for. They are
// opened before the load, so that a result is not lost to a path that cannot be written.

#include "base/settings.h"
#include "load/formats/formats.h"
#include "load/generator.h"
#include "programs/process.h"

#include <fstream>
#include <map>
#include <memory>
#include <string>

namespace serverlab {

class LoadOutputs {
 public:
  /// @param service its name, for formats that name what was measured
  /// @throws UsageError if a file cannot be written, or a format cannot hold several targets
  LoadOutputs(const Settings& settings, const LoadOptions& options, std::string service);

  /// Where workers add their connections' rows; empty if nobody asked for them.
  std::string connection_log() const;

  /// To be told of each interval, as it ends.
  void interval(const IntervalRow& row, const Tally& tally);

  /// Writes what can only be written at the end.
  /// @throws std::runtime_error if a file could not be written whole
  void finish(const LoadResult& result, const Json& document);

 private:
  std::ofstream* file(const std::string& format);

  const LoadOptions& options_;
  std::string service_;
  std::string started_at_;
  std::map<std::string, std::string> paths_;  // by format: those that were asked for
  std::map<std::string, std::ofstream> files_;
  std::unique_ptr<HlogWriter> hlog_;
};

/// --json, --hlog, --hgrm, --wrk2, --fortio, --benchstat, --connection-log.
std::span<const Setting> output_settings();

}  // namespace serverlab
