#include "base/settings.h"

#include "fuzz/targets.h"
#include "services/catalog.h"

#include <algorithm>

namespace serverlab::fuzz {
namespace {

constexpr std::size_t digits_max = 4;  // more are allowed, and take a store's worth of memory each

// What takes long, or reads a file that the input names, is left out.
bool is_tried(std::string_view value) {
  const auto digits = std::ranges::count_if(value, [](char c) { return c >= '0' && c <= '9'; });
  return !value.starts_with('@') && static_cast<std::size_t>(digits) <= digits_max;
}

void set_lines(Settings& settings, std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const std::size_t sign = line.find('=');
    if (sign == line.npos) continue;
    const std::string_view name = line.substr(0, sign);
    const std::string_view value = line.substr(sign + 1);
    if (settings.has(name) && is_tried(value)) settings.set(name, value);
  }
}

void try_settings(std::string_view lines, std::span<const Setting> table,
                  void (*use)(const ServiceRow&, const Settings&), const ServiceRow& row) {
  Settings settings;
  settings.add(table);
  try {
    set_lines(settings, lines);
    use(row, settings);
  } catch (const BadSetting&) {
    return;
  }
}

}  // namespace

void run_settings(std::string_view input) {
  for (const ServiceRow& row : services()) {
    try_settings(
        input, row.service_settings,
        [](const ServiceRow& one, const Settings& settings) { one.service(settings).open({}); },
        row);
    try_settings(
        input, row.workload_settings,
        [](const ServiceRow& one, const Settings& settings) {
          Bytes request;
          one.workload(settings).open(0).request(request);
        },
        row);
  }
}

}  // namespace serverlab::fuzz
