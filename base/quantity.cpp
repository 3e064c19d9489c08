#include "base/quantity.h"

#include "base/number.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <span>

namespace serverlab {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit time_units[] = {{"ns", 1},  {"us", 1e3},   {"ms", 1e6},
                               {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
constexpr Unit size_units[] = {{"", 1},     {"B", 1},      {"kB", 1e3},      {"MB", 1e6},
                               {"GB", 1e9}, {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// The number times its unit, or nothing if either cannot be read.
std::optional<double> parse_with_unit(std::string_view text, std::span<const Unit> units) {
  text = trimmed(text);
  double number = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  const std::string_view unit =
      trimmed({rest, static_cast<std::size_t>(text.data() + text.size() - rest)});
  for (const Unit& known : units) {
    if (known.name == unit) return number * known.factor;
  }
  return std::nullopt;
}

int parse_cpu(std::string_view text) {
  constexpr int cpus_max = 4096;
  const std::optional<int> cpu = number_of<int>(text);
  if (!cpu || *cpu < 0 || *cpu >= cpus_max) {
    throw BadQuantity(fmt::format("'{}' is not a CPU number", text));
  }
  return *cpu;
}

}  // namespace

Duration parse_duration(std::string_view text) {
  constexpr double century_ns = 100 * 365.0 * 24 * 3600e9;
  const std::optional<double> value_ns = parse_with_unit(text, time_units);
  if (!value_ns || *value_ns > century_ns) {
    throw BadQuantity(fmt::format("'{}' is not a duration such as 10s, 1.5ms or 250us", text));
  }
  return Duration(std::llround(*value_ns));
}

std::uint64_t parse_size(std::string_view text) {
  constexpr double size_max = 1ULL << 40;
  const std::optional<double> value = parse_with_unit(text, size_units);
  if (!value || *value > size_max || *value != std::floor(*value)) {
    throw BadQuantity(fmt::format("'{}' is not a size such as 64, 64B, 16KiB or 10MB", text));
  }
  return static_cast<std::uint64_t>(*value);
}

std::vector<int> parse_cpus(std::string_view text) {
  std::vector<int> cpus;
  std::string_view left = text;
  while (true) {
    const std::size_t comma = left.find(',');
    const std::string_view range = left.substr(0, comma);
    const std::size_t dash = range.find('-');
    const int first = parse_cpu(range.substr(0, dash));
    const int last = dash == range.npos ? first : parse_cpu(range.substr(dash + 1));
    if (last < first)
      throw BadQuantity(fmt::format("'{}' is not a range of CPUs such as 0-3", range));
    for (int cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
    if (comma == left.npos) return cpus;
    left.remove_prefix(comma + 1);
  }
}

}  // namespace serverlab
