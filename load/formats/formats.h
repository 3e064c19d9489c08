#pragma once

// A load's result in the formats of other tools, so that what people already have goes on working.

#include "load/load_options.h"
#include "load/result.h"

#include <ostream>

namespace serverlab {

/// HdrHistogram's percentile spectrum of the latency, in milliseconds: what its plotter and the
/// users of wrk2 read.
void write_hgrm(std::ostream& out, const Histogram& histogram);

/// The text that wrk2 prints.
void write_wrk2(std::ostream& out, const LoadOptions& options, const TargetResult& result);

/// Fortio's JSON, which `fortio report` lists and draws.
/// @param started_at RFC 3339
/// @param target HOST:PORT
void write_fortio(std::ostream& out, const LoadOptions& options, const TargetResult& result,
                  const std::string& started_at, const std::string& target);

/// Go's benchmark text, a line for each interval or slice, for benchstat.
/// @param service the benchmark's name
void write_benchstat(std::ostream& out, const LoadOptions& options, const LoadResult& result,
                     const std::string& service);

/// HdrHistogram's interval log, version 1.3: a line for each interval, with its histogram.
class HlogWriter {
 public:
  /// Writes the header.
  /// @param started_at_s seconds since 1970
  HlogWriter(std::ostream& out, double started_at_s);

  void write(const IntervalRow& row, const Histogram& latency, const std::string& tag);

 private:
  std::ostream& out_;
};

}  // namespace serverlab
