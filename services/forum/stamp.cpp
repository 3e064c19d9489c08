#include "services/forum/stamp.h"

#include "services/forum/store.h"

#include <charconv>
#include <fmt/format.h>
#include <iterator>

namespace serverlab::forum {
namespace {

constexpr std::string_view letters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Takes a number and the dot behind it from the front of the text.
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

void write_message(const Stamp& stamp, std::size_t message_bytes, std::string& text) {
  text.clear();
  fmt::format_to(std::back_inserter(text), "{}.{}.", stamp.author, stamp.number);
  for (std::size_t at = (std::uint64_t{stamp.author} * 13 + stamp.number * 7) % letters.size();
       text.size() < message_bytes; at = (at + 1) % letters.size()) {
    text.push_back(letters[at]);
  }
}

std::optional<Stamp> stamp_of(std::string_view text, std::size_t message_bytes,
                              std::string& scratch) {
  Stamp stamp;
  std::string_view rest = text;
  if (!take_number(rest, stamp.author) || !take_number(rest, stamp.number)) return std::nullopt;
  write_message(stamp, message_bytes, scratch);
  if (text != std::string_view(scratch).substr(0, text_bytes_max)) return std::nullopt;
  return stamp;
}

}  // namespace serverlab::forum
