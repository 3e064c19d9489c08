#pragma once

// What this binary is: events and lists carry it, and the laboratory measures only release builds.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace serverlab {

/// For people: "0.1.0 (release, g++ 12.2.0)", with the sanitizers if there are any.
std::string version_text();

/// For programs: `number`, `build` (release, debug …), `compiler` and the list `sanitizers`.
nlohmann::ordered_json version_json();

}  // namespace serverlab
