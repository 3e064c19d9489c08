#include "load/times_json.h"

#include "base/histogram_codec.h"
#include "load/bounds.h"

#include <nlohmann/json.hpp>

namespace serverlab {
namespace {

using Json = nlohmann::ordered_json;

// A figure without values is null.
Json null_if(bool nothing, auto figure) { return nothing ? Json() : Json(figure); }

}  // namespace

// A percentile is given where enough values lie beyond it; what lies among unanswered
// requests is null, "> timeout".
Json times_json(const Histogram& histogram, std::uint64_t unanswered) {
  const bool empty = histogram.count() == 0;
  Json json = {{"count", histogram.count()},
               {"unanswered", unanswered},
               {"min", null_if(empty, histogram.min_ns())},
               {"mean", null_if(empty, histogram.mean_ns())}};
  constexpr std::pair<const char*, double> wanted[] = {
      {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99_9", 0.999}};
  const auto total = static_cast<double>(histogram.count() + unanswered);
  constexpr double rounding = 1e-6;  // (1 - 0.9) * 100 falls short of 10 in floating point
  for (const auto& [name, quantile] : wanted) {
    const bool enough = total * (1 - quantile) >= bounds::values_beyond_min - rounding;
    const std::int64_t value_ns = enough ? histogram.quantile_ns(quantile, unanswered) : -1;
    json[name] = null_if(value_ns < 0, value_ns);
  }
  json["max"] = null_if(empty, histogram.max_ns());
  json["hdr"] = encode(histogram);
  return json;
}

}  // namespace serverlab
