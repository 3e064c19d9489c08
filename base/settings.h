#pragma once

// What can be set about a server, a service or a load: one table row for the command line, for
// its --help and for the experiment file, which learns the rows from `--list-json`. The same name
// everywhere.

#include "base/clock.h"

#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace serverlab {

struct Setting {
  std::string_view name;      // "read-buffer": --read-buffer=… on the command line
  std::string_view values;    // a kind in capitals (SIZE, COUNT …), or the choices: "fifo|lifo"
  std::string_view fallback;  // its value if none is given; may be empty
  std::string_view meaning;   // one line for --help
  std::string_view group;     // the heading in --help
};

/// A value that does not fit its setting; the text names the setting, the value and what would fit.
struct BadSetting : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// What is asked for is in order, and this machine cannot do it; the text says what it lacks.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The values of a table's settings.
class Settings {
 public:
  void add(std::span<const Setting> table);

  /// Whether there is such a setting.
  bool has(std::string_view name) const { return values_.contains(name); }

  /// @throws BadSetting if no such setting exists, or the value is not one of its choices
  void set(std::string_view name, std::string_view value);

  /// Whether `set` was called for it.
  bool is_set(std::string_view name) const;

  // Each throws BadSetting if the value cannot be read as what is asked for.
  const std::string& text(std::string_view name) const;
  std::int64_t count(std::string_view name, std::int64_t lowest, std::int64_t highest) const;
  double number(std::string_view name, double lowest, double highest) const;
  std::vector<std::string> list(std::string_view name) const;  // the words of a value
  std::vector<int> counts(std::string_view name, int lowest, int highest) const;
  std::uint64_t size(std::string_view name, std::uint64_t lowest, std::uint64_t highest) const;
  Duration duration(std::string_view name, Duration lowest, Duration highest) const;
  std::vector<int> cpus(std::string_view name) const;  // empty if the value is empty
  bool flag(std::string_view name) const;              // choices "on|off"

 private:
  struct Value {
    Setting setting;
    std::string text;
    bool is_set = false;
  };
  const Value& find(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace serverlab
