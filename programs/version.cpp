#include "programs/version.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace serverlab {

// The SERVERLAB_… definitions come from CMakeLists.txt.
namespace {

constexpr std::string_view build = SERVERLAB_BUILD;
// Separated by commas.
// NOLINTNEXTLINE(readability-redundant-string-init): it is empty only without sanitizers
constexpr std::string_view sanitizers = SERVERLAB_SANITIZERS;

}  // namespace

std::string version_text() {
  return fmt::format("{} ({}{}{}, {})", SERVERLAB_VERSION, build, sanitizers.empty() ? "" : " ",
                     sanitizers, SERVERLAB_COMPILER);
}

nlohmann::ordered_json version_json() {
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  std::istringstream list{std::string(sanitizers)};
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  return {{"number", SERVERLAB_VERSION},
          {"build", build},
          {"compiler", SERVERLAB_COMPILER},
          {"sanitizers", names}};
}

}  // namespace serverlab
