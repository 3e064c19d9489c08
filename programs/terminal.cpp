#include "programs/terminal.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace serverlab {
namespace {

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// As ECMA-48 numbers them: Select Graphic Rendition.
std::string_view sequence(Style style) {
  switch (style) {
    case Style::plain: return "";
    case Style::faint: return "2";
    case Style::good: return "1;32";
    case Style::doubtful: return "1;33";
    case Style::bad: return "1;31";
  }
  return "";
}

}  // namespace

bool is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

bool is_coloured() {
  return is_terminal() && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
}

std::string styled(std::string_view text, Style style) {
  if (style == Style::plain || !is_coloured()) return std::string(text);
  return fmt::format("\033[{}m{}\033[0m", sequence(style), text);
}

std::string grouped(double value) {
  const std::string digits = fmt::format("{:.0f}", value);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool begins_thousands = i > 0 && (digits.size() - i) % 3 == 0;
    if (begins_thousands) text += ',';
    text += digits[i];
  }
  return text;
}

std::string human_duration(double ns) {
  const auto [factor, unit] = ns < 1e3   ? std::pair(1.0, "ns")
                              : ns < 1e6 ? std::pair(1e3, "µs")
                              : ns < 1e9 ? std::pair(1e6, "ms")
                                         : std::pair(1e9, "s");
  const double value = ns / factor;
  return fmt::format("{:.{}f} {}", value, value < 10 ? 2 : value < 100 ? 1 : 0, unit);
}

}  // namespace serverlab
