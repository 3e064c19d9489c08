#pragma once

// Times as a part of a document: `…_ns` in docs/results-schema.md.

#include "base/histogram.h"

#include <nlohmann/json_fwd.hpp>

namespace serverlab {

/// @param unanswered how many requests had no reply, and are not in the histogram
nlohmann::ordered_json times_json(const Histogram& histogram, std::uint64_t unanswered = 0);

}  // namespace serverlab
