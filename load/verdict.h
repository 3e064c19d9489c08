#pragma once

// Whether a load's figures may be believed, and the number that decided it (docs/method.md).

#include "load/generator.h"

#include <string>

namespace serverlab {

struct LoadVerdict {
  std::string name = "VALID";
  std::string reason;  // a sentence; empty when valid
};

LoadVerdict verdict(const LoadOptions& options, const TargetResult& result, bool interrupted);

}  // namespace serverlab
