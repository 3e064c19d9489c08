#include "programs/command_line.h"

#include "base/resource.h"
#include "net/address.h"
#include "programs/process.h"
#include "programs/standard_streams.h"
#include "programs/terminal.h"
#include "programs/version.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <new>
#include <nlohmann/json.hpp>

namespace serverlab {
namespace {

// The known name that is nearest to what was typed, if it is near at all.
std::optional<std::string> nearest(const std::string& typed,
                                   const std::vector<std::string>& known) {
  const auto distance = [](std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 0; i < a.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i + 1);
      for (std::size_t j = 0; j < b.size(); ++j) {
        const std::size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
        diagonal = std::exchange(row[j + 1], std::min({changed, row[j] + 1, row[j + 1] + 1}));
      }
    }
    return row.back();
  };
  std::optional<std::string> best;
  std::size_t least = 4;
  for (const std::string& name : known) {
    const std::size_t here = distance(typed, name);
    if (here < least) {
      least = here;
      best = name;
    }
  }
  return best;
}

// What was typed, as the parser wants it: last first, and `--name=` as a name and an empty value,
// which it would else fill with the next argument.
std::vector<std::string> reversed_arguments(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (const char* argument : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    const std::string_view text = argument;
    const std::size_t equals = text.find('=');
    const bool has_empty_value = text.starts_with("--") && equals + 1 == text.size();
    arguments.emplace_back(has_empty_value ? text.substr(0, equals) : text);
    if (has_empty_value) arguments.emplace_back();
  }
  std::ranges::reverse(arguments);
  return arguments;
}

std::string unknown_argument(const std::string& argument, const std::vector<std::string>& known) {
  const std::string typed = argument.substr(0, argument.find('='));
  return fmt::format("there is no option {}; {}", typed,
                     did_you_mean(typed, known, "--help lists them"));
}

using Flags = std::span<const std::pair<std::string, std::string>>;

// A line of --help: what is typed, what it means, and what it is unless it is given.
std::string help_line(const std::string& typed, std::string_view meaning,
                      std::string_view fallback = {}) {
  constexpr std::size_t column = 34;  // where the meaning begins
  std::string text = "  " + typed;
  if (text.size() < column) {
    text.resize(column, ' ');
  } else {
    text += '\n' + std::string(column, ' ');
  }
  text += meaning;
  return text + (fallback.empty() ? "\n" : fmt::format(" [{}]\n", fallback));
}

// Written here, since the layout of CLI11's own depends on its version.
std::string help(const CommandLine& line, std::span<const std::span<const Setting>> tables,
                 Flags flags) {
  std::vector<std::pair<std::string_view, std::string>> groups;  // in the order of the tables
  for (const auto table : tables) {
    for (const Setting& setting : table) {
      auto group = std::ranges::find(groups, setting.group, [](auto& one) { return one.first; });
      if (group == groups.end()) group = groups.insert(groups.end(), {setting.group, {}});
      group->second += help_line(fmt::format("--{} {}", setting.name, setting.values),
                                 setting.meaning, setting.fallback);
    }
  }
  std::string& options = groups.emplace_back("Options", "").second;
  for (const auto& [name, meaning] : flags) options += help_line("--" + name, meaning);
  options += help_line("-h,--help", "print this");
  options += help_line("--version", "print the version and the build");
  std::string text = fmt::format("{}\nUsage: {} [OPTIONS]\n", line.description, line.name);
  for (const auto& [name, lines] : groups) text += fmt::format("\n{}:\n{}", name, lines);
  return fmt::format("{}\n{}\n", text, line.examples);
}

}  // namespace

std::optional<std::string> parse(const CommandLine& line, int argc, char** argv,
                                 std::span<const std::span<const Setting>> tables, Flags flags,
                                 Settings& settings) {
  CLI::App app(line.description, line.name);
  app.set_help_flag("");
  std::vector<std::string> known;
  std::map<std::string, std::vector<std::string>> given;
  for (const auto table : tables) {
    for (const Setting& setting : table) {
      const std::string name(setting.name);
      known.push_back("--" + name);
      const bool repeats = setting.values.ends_with(" ...");
      app.add_option("--" + name, given[name])
          ->expected(1, repeats ? CLI::detail::expected_max_vector_size : 1)
          ->allow_extra_args(repeats)
          ->type_name(std::string(setting.values));
    }
  }
  std::optional<std::string> flag;
  for (const auto& [name, meaning] : flags) {
    known.push_back("--" + name);
    app.add_flag_callback("--" + name, [&flag, given = name] { flag = given; });
  }
  app.add_flag_callback("--help,-h", [&flag] { flag = "help"; });
  app.add_flag_callback("--version", [&flag] { flag = "version"; });
  app.allow_extras();
  try {
    app.parse(reversed_arguments(argc, argv));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (!app.remaining().empty()) throw UsageError(unknown_argument(app.remaining().front(), known));
  if (flag == "help") print_out(help(line, tables, flags));
  if (flag == "version") print_out(fmt::format("{} {}\n", line.name, version_text()));
  for (const auto& [name, values] : given) {
    if (!values.empty()) settings.set(name, fmt::format("{}", fmt::join(values, " ")));
  }
  return flag;
}

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& known,
                         std::string_view otherwise) {
  const auto name = nearest(typed, known);
  return name ? fmt::format("did you mean {}?", *name) : std::string(otherwise);
}

int status_of(const std::exception& error) {
  constexpr int usage = 2;
  constexpr int unavailable = 69;  // EX_UNAVAILABLE of sysexits.h
  if (dynamic_cast<const Unsupported*>(&error) != nullptr) return unavailable;
  const bool is_usage = dynamic_cast<const UsageError*>(&error) != nullptr ||
                        dynamic_cast<const BadSetting*>(&error) != nullptr ||
                        dynamic_cast<const BadAddress*>(&error) != nullptr;
  return is_usage ? usage : 1;
}

// Of an error that names a resource, the code for the program that reads stdout. The JSON library
// needs memory also to give memory back, so without any there is a line that needs none.
void print_resource(const std::exception& error) {
  const auto resource = resource_of(error);
  if (!resource || is_terminal()) return;
  if (dynamic_cast<const std::bad_alloc*>(&error) == nullptr) {
    return print_event(
        {{"event", "error"}, {"resource", name_of(*resource)}, {"text", error.what()}});
  }
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line),
                 "{{\"event\":\"error\",\"resource\":\"memory\",\"text\":\"{}\"}}\n",
                 sentence_of(error));
  print_out({line.data(), line.size()});
}

// On one line, whatever is quoted in it. Without memory for a copy, the sentence as it is.
void print_sentence(const std::string& name, const std::exception& error) try {
  fmt::print(stderr, "{}: {}\n", name, plain(sentence_of(error)));
} catch (const std::bad_alloc&) {
  fmt::print(stderr, "{}: {}\n", name, sentence_of(error));
}

int run_program(const std::string& name, int (*body)(int, char**), int argc, char** argv) {
  try {
    open_standard_streams();
    const int status = body(argc, argv);
    return status == 0 && printing_failed() ? 1 : status;
  } catch (const std::exception& error) {
    print_resource(error);
    print_sentence(name, error);
    return status_of(error);
  }
}

}  // namespace serverlab
