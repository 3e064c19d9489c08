#pragma once

// A number that is the whole of a text.

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace serverlab {

/// @tparam Number an integer or a floating-point type
/// @return none if the text is anything but digits (and what else the type has: a minus, a point),
/// or the number does not fit
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [rest, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc() || rest != text.end()) return std::nullopt;
  return number;
}

}  // namespace serverlab
