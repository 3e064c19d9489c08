#include "base/histogram_codec.h"
#include "load/formats/formats.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace serverlab {

HlogWriter::HlogWriter(std::ostream& out, double started_at_s) : out_(out) {
  const auto whole = static_cast<std::time_t>(started_at_s);
  out_ << "#[Histogram log format version 1.3]\n"
       << fmt::format("#[StartTime: {:.3f} (seconds since epoch), {:%a %b %d %H:%M:%S UTC %Y}]\n",
                      started_at_s, fmt::gmtime(whole))
       << "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_"
          "Histogram\"\n";
}

// Times in seconds since the start, the maximum in milliseconds, as the format's other writers do.
void HlogWriter::write(const IntervalRow& row, const Histogram& latency, const std::string& tag) {
  out_ << fmt::format("Tag={},{:.3f},{:.3f},{:.3f},{}\n", tag, row.from_s, row.to_s - row.from_s,
                      static_cast<double>(latency.max_ns()) / 1e6, encode(latency));
}

}  // namespace serverlab
