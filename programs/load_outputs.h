#pragma once

// The files that a load's result is written to, in whichever formats were asked for. They are
// opened before the load, so that a result is not lost to a path that cannot be written.

#include "base/settings.h"
#include "load/formats/formats.h"
#include "load/load_options.h"
#include "load/result.h"
#include "programs/process.h"

#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace serverlab {

class LoadOutputs {
 public:
  /// @param service its name, for formats that name what was measured
  /// @throws UsageError if a file cannot be written
  LoadOutputs(const Settings& settings, const LoadOptions& options, std::string service);

  /// Where workers add their connections' rows; empty without --connection-log.
  std::string connection_log() const;

  /// To be told of each interval, as it ends.
  void interval(const IntervalRow& row, const Tally& tally);

  /// Writes what can only be written at the end, to every file that takes it.
  /// @throws std::runtime_error that names the files which could not be written whole
  void finish(const LoadResult& result, const Json& document);

 private:
  /// Writes to the file of a format, if it was asked for, and remembers why that failed.
  void write(const std::string& format, const std::function<void(std::ostream&)>& body);

  const LoadOptions& options_;
  std::string service_;
  std::string started_at_;
  std::map<std::string, std::string> paths_;  // by format: those that were asked for
  std::map<std::string, std::ofstream> files_;
  std::map<std::string, int> failures_;  // errno, by format
  std::unique_ptr<HlogWriter> hlog_;
};

/// Refuses formats that cannot hold this load.
/// @throws UsageError
void refuse_outputs(const Settings& settings, const LoadOptions& options);

/// --json, --hlog, --hgrm, --wrk2, --fortio, --benchstat, --connection-log.
std::span<const Setting> output_settings();

}  // namespace serverlab
