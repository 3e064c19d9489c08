#include "programs/terminal.h"

#include <algorithm>
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

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: they are no UTF-8
};

// The first character of a text that is not empty, as RFC 3629 encodes it.
Character first_of(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t bytes = byte(0) < 0x80   ? 1
                            : byte(0) < 0xc2 ? 0
                            : byte(0) < 0xe0 ? 2
                            : byte(0) < 0xf0 ? 3
                            : byte(0) < 0xf5 ? 4
                                             : 0;
  if (bytes == 0 || bytes > text.size()) return {};
  std::uint32_t code = bytes == 1 ? byte(0) : byte(0) & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < lowest[bytes] || code > 0x10ffff || is_surrogate) return {};
  return {.code = code, .bytes = bytes};
}

// As serverlab/plain_text.py has them, and what would end a line or leave a gap in it.
bool is_hidden(std::uint32_t code) {
  constexpr std::pair<std::uint32_t, std::uint32_t> hidden[] = {
      {0x00, 0x1f},     {0x7f, 0x9f},     {0x061c, 0x061c}, {0x200b, 0x200b}, {0x200e, 0x200f},
      {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
  return std::ranges::any_of(
      hidden, [code](const auto& range) { return code >= range.first && code <= range.second; });
}

std::string escaped(std::uint32_t code) {
  if (code < 0x100) return fmt::format("\\x{:02x}", code);
  return code < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
}

}  // namespace

std::string plain(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const Character first = first_of(text);
    const std::size_t bytes = std::max<std::size_t>(1, first.bytes);
    if (first.bytes == 0) {
      shown += escaped(static_cast<unsigned char>(text.front()));
    } else if (is_hidden(first.code)) {
      shown += escaped(first.code);
    } else {
      shown += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

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
