#include "programs/version.h"

#include <fmt/format.h>

namespace serverlab {

// The SERVERLAB_… definitions come from CMakeLists.txt.
std::string build_name() { return SERVERLAB_BUILD; }

std::string version_text() {
  return fmt::format("{} ({}, {})", SERVERLAB_VERSION, build_name(), SERVERLAB_COMPILER);
}

}  // namespace serverlab
