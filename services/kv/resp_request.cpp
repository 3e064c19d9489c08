#include "services/kv/resp_request.h"

#include "services/kv/resp_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace serverlab::kv {
namespace {

using Status = RespRequest::Status;

constexpr std::size_t ending_bytes = 2;  // \r\n, the second byte unexamined, as by Redis

RespRequest error(std::string text) { return {Status::error, 0, std::move(text)}; }

// Where a line ends; `npos` if its end is not there yet.
// @param limit of the line's bytes: one that is longer has no end either
std::size_t line_end(std::string_view input, std::size_t from, char end) {
  const std::size_t at = input.substr(from, line_bytes_max).find(end);
  return at == input.npos ? at : from + at;
}

bool is_too_long(std::string_view input, std::size_t from) {
  return input.size() - from >= line_bytes_max;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// The character after a backslash between double quotes; steps over it.
char unescape(std::string_view line, std::size_t& at) {
  const char c = line[at++];
  switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'a': return '\a';
    case 'x':
      if (at + 1 < line.size() && hex_digit(line[at]) >= 0 && hex_digit(line[at + 1]) >= 0) {
        const int code = hex_digit(line[at]) * 16 + hex_digit(line[at + 1]);
        at += 2;
        return static_cast<char>(code);
      }
      return c;
    default: return c;
  }
}

// Appends what is between the quotes that begin at `at` to `into`, and steps over them.
// @return false if they do not match, or a word goes on behind them
bool take_quoted(std::string_view line, std::size_t& at, std::string& into) {
  const char quote = line[at++];
  while (at < line.size() && line[at] != quote) {
    const bool escapes =
        line[at] == '\\' && at + 1 < line.size() && (quote == '"' || line[at + 1] == quote);
    if (!escapes) {
      into += line[at++];
    } else {
      into += quote == '"' ? unescape(line, ++at) : (++at, line[at++]);
    }
  }
  if (at == line.size()) return false;
  ++at;
  return at == line.size() || is_space(line[at]);
}

// Appends the word at `at` to `into`, and steps over it. Quotes may begin in its middle.
bool take_word(std::string_view line, std::size_t& at, std::string& into) {
  while (at < line.size() && !is_space(line[at])) {
    const bool is_quote = line[at] == '"' || line[at] == '\'';
    if (is_quote && !take_quoted(line, at, into)) return false;
    if (!is_quote) into += line[at++];
  }
  return true;
}

// @return false if quotes do not match
bool split(std::string_view line, RespArguments& arguments) {
  arguments.unquoted.reserve(line.size());  // so that views of it stay where they are
  for (std::size_t at = 0; at < line.size();) {
    if (is_space(line[at])) {
      ++at;
      continue;
    }
    const std::size_t from = arguments.unquoted.size();
    if (!take_word(line, at, arguments.unquoted)) return false;
    arguments.words.push_back(std::string_view(arguments.unquoted).substr(from));
  }
  return true;
}

RespRequest read_words(std::string_view input, RespArguments& arguments) {
  const std::size_t end = line_end(input, 0, '\n');
  if (end == input.npos) {
    return is_too_long(input, 0) ? error("too big inline request") : RespRequest();
  }
  if (!split(input.substr(0, end), arguments)) return error("unbalanced quotes in request");
  return {Status::complete, end + 1};
}

RespRequest read_array(std::string_view input, RespArguments& arguments) {
  constexpr std::size_t word_bytes_min = std::string_view("$0\r\n\r\n").size();
  const std::size_t header_end = line_end(input, 1, '\r');
  if (header_end == input.npos && is_too_long(input, 1)) return error("too big mbulk count string");
  std::size_t at = header_end + ending_bytes;
  if (header_end == input.npos || at > input.size()) return {};
  const auto count = integer_of(input.substr(1, header_end - 1));
  constexpr auto most = static_cast<std::int64_t>(arguments_max);
  if (!count || *count > most) return error("invalid multibulk length");
  for (std::int64_t left = *count; left > 0; --left) {
    if (at >= input.size()) return {};
    const std::size_t size_end = line_end(input, at, '\r');
    if (size_end == input.npos && is_too_long(input, at)) return error("too big bulk count string");
    if (size_end == input.npos || size_end + ending_bytes > input.size()) return {};
    if (input[at] != '$') return error(fmt::format("expected '$', got '{}'", input[at]));
    const auto size = integer_of(input.substr(at + 1, size_end - at - 1));
    if (!size || *size < 0 || *size > static_cast<std::int64_t>(bulk_bytes_max)) {
      return error("invalid bulk length");
    }
    const std::size_t begin = size_end + ending_bytes;
    at = begin + static_cast<std::size_t>(*size) + ending_bytes;
    const std::size_t others_bytes_min = static_cast<std::size_t>(left - 1) * word_bytes_min;
    if (at + others_bytes_min > request_bytes_max) return error("too big request");
    if (at > input.size()) return {};
    arguments.words.push_back(input.substr(begin, static_cast<std::size_t>(*size)));
  }
  return {Status::complete, at};
}

}  // namespace

RespRequest read_request(std::string_view input, RespArguments& arguments) {
  arguments.words.clear();
  arguments.unquoted.clear();
  return input.front() == '*' ? read_array(input, arguments) : read_words(input, arguments);
}

}  // namespace serverlab::kv
