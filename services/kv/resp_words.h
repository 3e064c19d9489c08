#pragma once

// The words of a request, read as names and as integers.

#include "base/number.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace serverlab::kv {

/// Whether a word is this one, in capitals or not.
/// @param lower in lower case
inline bool is_word(std::string_view word, std::string_view lower) {
  if (word.size() != lower.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    const char folded = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    if (folded != lower[i]) return false;
  }
  return true;
}

/// The error for a word that is no integer.
constexpr const char* not_an_integer = "ERR value is not an integer or out of range";

/// An integer as Redis writes it, and no other: "7" and "-7", but not "+7", "07" or "-0".
inline std::optional<std::int64_t> integer_of(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (text != "0" && (digits.empty() || digits.front() < '1' || digits.front() > '9')) return {};
  return number_of<std::int64_t>(text);
}

}  // namespace serverlab::kv
