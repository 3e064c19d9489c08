#include "base/settings.h"

#include "base/number.h"
#include "base/quantity.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <sstream>

namespace serverlab {
namespace {

bool is_choice(std::string_view values, std::string_view value) {
  if (!values.contains('|')) return true;  // a kind, not a list of choices
  while (true) {
    const std::size_t bar = values.find('|');
    if (values.substr(0, bar) == value) return true;
    if (bar == values.npos) return false;
    values.remove_prefix(bar + 1);
  }
}

std::string in_units(Duration duration) { return fmt::format("{}s", seconds(duration)); }

}  // namespace

void Settings::add(std::span<const Setting> table) {
  for (const Setting& setting : table) {
    values_.emplace(setting.name, Value{setting, std::string(setting.fallback)});
  }
}

void Settings::set(std::string_view name, std::string_view value) {
  const auto found = values_.find(name);
  if (found == values_.end()) throw BadSetting(fmt::format("there is no setting '{}'", name));
  const std::string_view choices = found->second.setting.values;
  if (!is_choice(choices, value)) {
    throw BadSetting(fmt::format("--{}: '{}' is not one of {}", name, value, choices));
  }
  found->second.text = value;
  found->second.is_set = true;
}

bool Settings::is_set(std::string_view name) const { return find(name).is_set; }

const std::string& Settings::text(std::string_view name) const { return find(name).text; }

std::int64_t Settings::count(std::string_view name, std::int64_t lowest,
                             std::int64_t highest) const {
  const auto value = number_of<std::int64_t>(text(name));
  if (!value || *value < lowest || *value > highest) {
    throw BadSetting(fmt::format("--{}: '{}' is not a whole number from {} to {}", name, text(name),
                                 lowest, highest));
  }
  return *value;
}

std::vector<std::string> Settings::list(std::string_view name) const {
  std::istringstream words(text(name));
  return {std::istream_iterator<std::string>(words), {}};
}

std::vector<int> Settings::counts(std::string_view name, int lowest, int highest) const {
  std::vector<int> values;
  for (const std::string& word : list(name)) {
    const auto value = number_of<int>(word);
    if (!value || *value < lowest || *value > highest) {
      throw BadSetting(fmt::format("--{}: '{}' is not a whole number from {} to {}", name, word,
                                   lowest, highest));
    }
    values.push_back(*value);
  }
  return values;
}

double Settings::number(std::string_view name, double lowest, double highest) const {
  const auto value = number_of<double>(text(name));
  if (!value || !(*value >= lowest && *value <= highest)) {
    throw BadSetting(
        fmt::format("--{}: '{}' is not a number from {} to {}", name, text(name), lowest, highest));
  }
  return *value;
}

std::uint64_t Settings::size(std::string_view name, std::uint64_t lowest,
                             std::uint64_t highest) const {
  try {
    const std::uint64_t value = parse_size(text(name));
    if (value >= lowest && value <= highest) return value;
  } catch (const BadQuantity& error) {
    throw BadSetting(fmt::format("--{}: {}", name, error.what()));
  }
  throw BadSetting(
      fmt::format("--{}: '{}' is not between {} B and {} B", name, text(name), lowest, highest));
}

Duration Settings::duration(std::string_view name, Duration lowest, Duration highest) const {
  try {
    const Duration value = parse_duration(text(name));
    if (value >= lowest && value <= highest) return value;
  } catch (const BadQuantity& error) {
    throw BadSetting(fmt::format("--{}: {}", name, error.what()));
  }
  throw BadSetting(fmt::format("--{}: '{}' is not between {} and {}", name, text(name),
                               in_units(lowest), in_units(highest)));
}

std::vector<int> Settings::cpus(std::string_view name) const {
  if (text(name).empty()) return {};
  try {
    return parse_cpus(text(name));
  } catch (const BadQuantity& error) {
    throw BadSetting(fmt::format("--{}: {}", name, error.what()));
  }
}

bool Settings::flag(std::string_view name) const { return text(name) == "on"; }

const Settings::Value& Settings::find(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::logic_error("no row for setting " + std::string(name));
  return found->second;
}

}  // namespace serverlab
