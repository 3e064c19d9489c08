#pragma once

// The HdrHistogram V2 wire format, compressed and in base64: what HdrHistogram libraries of all
// languages read, and what `hdr` fields and .hlog lines hold.

#include "base/histogram.h"

#include <string>

namespace serverlab {

/// @return base64 text that starts with "HISTFAAA"
std::string encode(const Histogram& histogram);

}  // namespace serverlab
