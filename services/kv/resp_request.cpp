#include "services/kv/resp_request.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace serverlab::kv {
namespace {

using Status = RespRequest::Status;

RespRequest error(std::string text) { return {Status::error, 0, std::move(text)}; }

/// A line of RESP, less its ending, and where the next one begins.
struct Line {
  std::string_view text;
  std::size_t end = 0;
};

std::optional<Line> line_at(std::string_view input, std::size_t from) {
  const std::size_t end = input.find('\n', from);
  if (end == input.npos) return std::nullopt;
  std::string_view text = input.substr(from, end - from);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return Line{text, end + 1};
}

std::optional<long long> number_of(std::string_view text) {
  long long number = 0;
  const auto [end, failure] = std::from_chars(text.begin(), text.end(), number);
  if (failure != std::errc() || end != text.end() || text.empty()) return std::nullopt;
  return number;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

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

// Appends the word between quotes that begins at `at` to `into`, and steps over it.
// @return false if the quotes do not match
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

// @return false if quotes do not match
bool split(std::string_view line, RespArguments& arguments) {
  arguments.unescaped.reserve(line.size());  // so that views of it stay where they are
  for (std::size_t at = 0; at < line.size();) {
    if (is_space(line[at])) {
      ++at;
    } else if (line[at] == '"' || line[at] == '\'') {
      const std::size_t from = arguments.unescaped.size();
      if (!take_quoted(line, at, arguments.unescaped)) return false;
      arguments.words.push_back(std::string_view(arguments.unescaped).substr(from));
    } else {
      const std::size_t from = at;
      while (at < line.size() && !is_space(line[at])) ++at;
      arguments.words.push_back(line.substr(from, at - from));
    }
  }
  return true;
}

RespRequest read_words(std::string_view input, RespArguments& arguments) {
  const auto line = line_at(input, 0);
  if (!line && input.size() > line_bytes_max) return error("too big inline request");
  if (!line) return {};
  if (!split(line->text, arguments)) return error("unbalanced quotes in request");
  return {Status::complete, line->end};
}

RespRequest read_array(std::string_view input, RespArguments& arguments) {
  const auto header = line_at(input, 1);
  if (!header && input.size() > line_bytes_max) return error("too big mbulk count string");
  if (!header) return {};
  const auto count = number_of(header->text);
  constexpr auto most = static_cast<long long>(arguments_max);
  if (!count || *count > most) return error("invalid multibulk length");
  std::size_t at = header->end;
  for (long long i = 0; i < *count; ++i) {
    if (at >= input.size()) return {};
    if (input[at] != '$') return error(fmt::format("expected '$', got '{}'", input[at]));
    const auto size_line = line_at(input, at + 1);
    if (!size_line && input.size() - at > line_bytes_max) return error("too big bulk count string");
    if (!size_line) return {};
    const auto size = number_of(size_line->text);
    if (!size || *size < 0 || *size > static_cast<long long>(bulk_bytes_max)) {
      return error("invalid bulk length");
    }
    constexpr std::size_t ending = 2;  // \r\n, as Redis unexamined
    const auto bytes = static_cast<std::size_t>(*size);
    at = size_line->end;
    if (input.size() < at + bytes + ending) return {};
    arguments.words.push_back(input.substr(at, bytes));
    at += bytes + ending;
  }
  return {Status::complete, at};
}

}  // namespace

RespRequest read_request(std::string_view input, RespArguments& arguments) {
  arguments.words.clear();
  arguments.unescaped.clear();
  RespRequest request =
      input.front() == '*' ? read_array(input, arguments) : read_words(input, arguments);
  if (request.status == Status::need_more && input.size() > request_bytes_max) {
    return error("too big request");
  }
  return request;
}

}  // namespace serverlab::kv
