#pragma once

// A program's command line, made from the rows of its settings: --name=value for each, --help
// grouped by question.

#include "base/settings.h"

#include <optional>
#include <string>

namespace serverlab {

/// A request that cannot be met as it stands: `main` prints the sentence and exits with status 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct CommandLine {
  std::string name;         // of the program
  std::string description;  // above the options in --help
  std::string examples;     // below them
};

/// Sets in `settings` what the arguments say.
/// @param tables all settings that may be given, in the order of --help; `settings` has them all
/// @param flags further options without a value, as name and meaning: `--list`
/// @return the flag that was given, if any; --help and --version print, and are returned as well
/// @throws UsageError, BadSetting
std::optional<std::string> parse(const CommandLine& line, int argc, char** argv,
                                 std::span<const std::span<const Setting>> tables,
                                 std::span<const std::pair<std::string, std::string>> flags,
                                 Settings& settings);

/// Runs a program's body; what it throws becomes one sentence on stderr.
/// @return the exit status: 2 for a UsageError, a BadSetting or a BadAddress, 1 for any other
/// exception
int run_program(const std::string& name, int (*body)(int, char**), int argc, char** argv);

}  // namespace serverlab
