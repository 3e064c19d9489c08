#pragma once

// What this binary is: results carry it, and the laboratory refuses to measure any build but
// release.

#include <string>

namespace serverlab {

/// "0.1.0 (release, g++ 12.2.0)"
std::string version_text();

/// "release", "debug", "asan", "tsan": the preset's name, or the build type in lower case
std::string build_name();

}  // namespace serverlab
