#pragma once

// Whether a load's figures can be used, and the number that decided it (docs/method.md).

#include "load/load_options.h"
#include "load/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace serverlab {

struct LoadVerdict {
  std::string_view name = "VALID";
  std::string reason;  // a sentence; empty when valid
};

/// What a verdict says of the figures.
enum class Severity : std::uint8_t {
  none,
  doubtful,  // something other than the server may have decided them
  wrong,     // they describe something other than what was asked for
};

/// A verdict, and the program's exit status for it.
struct LoadVerdictRow {
  std::string_view name;
  int exit_status;
  Severity severity;
  std::string_view meaning;  // one line
};

/// The one list of verdicts. Where several apply to a load, the first of them is given.
std::span<const LoadVerdictRow> load_verdicts();

/// Of a verdict of the list.
Severity severity_of(std::string_view verdict);

std::string_view name_of(Severity severity);

/// The exit status of a load whose targets have these verdicts: that of the first row among them
/// that is not VALID.
int exit_status(std::span<const std::string_view> verdicts);

LoadVerdict verdict(const LoadOptions& options, const TargetResult& result, bool interrupted);

}  // namespace serverlab
