#pragma once

// A request of the Redis protocol as people type it: words on a line, which may be quoted.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace serverlab::kv {

constexpr std::size_t line_bytes_max = 64 << 10;

/// A request's words. They are views of the input, or of what its quotes and escapes stand for.
struct RespArguments {
  std::vector<std::string_view> words;
  std::string unquoted;
};

/// Whether the quotes of a line match, found byte by byte.
class QuoteScan {
 public:
  /// @return false if no line can begin with the bytes that were scanned
  bool scan(char c);

 private:
  enum class State : std::uint8_t {
    outside,
    closed,  // right behind a quoted part, where no word may go on
    in_double_quotes,
    escaped_in_double_quotes,
    in_single_quotes,
    escaped_in_single_quotes,
  };
  State state_ = State::outside;
};

/// Splits a line, whose quotes match, into words.
void split_line(std::string_view line, RespArguments& arguments);

}  // namespace serverlab::kv
