#pragma once

// Settings that are checked without a start: nothing is listened to, connected or written.

#include "base/settings.h"
#include "programs/command_line.h"

#include <functional>

namespace serverlab {

/// The flags of every program that can be started with settings.
std::span<const std::pair<std::string, std::string>> check_flags();

/// Checks settings as a start would.
/// @throws what a start would throw
using CheckSettings = std::function<void(const Settings&)>;

/// Does what --check or --check-lines asks for. The latter reads a JSON object of settings from
/// each line of stdin and prints for each what became of it (docs/results-schema.md).
/// @param given the settings of the command line, which each line adds to
/// @throws what `check` throws, for --check
void run_check(const std::string& flag, const Settings& given, const CheckSettings& check);

}  // namespace serverlab
