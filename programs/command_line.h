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

/// "did you mean poll?" for a name that is near to one of these; else what lists them.
std::string did_you_mean(const std::string& typed, const std::vector<std::string>& known,
                         std::string_view otherwise);

/// @return the exit status that an error ends a program with: 2 if the request is not in order
/// (UsageError, BadSetting, BadAddress), 69 if this machine cannot do it (Unsupported), else 1
int status_of(const std::exception& error);

/// Runs a program's body, with its standard streams open; what it throws becomes one sentence on
/// stderr.
/// @return the exit status: that of what was thrown, 1 if stdout could not be written, and
/// otherwise that of the body
int run_program(const std::string& name, int (*body)(int, char**), int argc, char** argv);

}  // namespace serverlab
