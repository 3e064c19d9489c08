#include "services/kv/resp_line.h"

namespace serverlab::kv {
namespace {

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
void take_quoted(std::string_view line, std::size_t& at, std::string& into) {
  const char quote = line[at++];
  while (line[at] != quote) {
    const bool escapes = line[at] == '\\' && (quote == '"' || line[at + 1] == quote);
    if (!escapes) {
      into += line[at++];
    } else {
      into += quote == '"' ? unescape(line, ++at) : (++at, line[at++]);
    }
  }
  ++at;
}

// Appends the word at `at` to `into`, and steps over it. Quotes may begin in its middle.
void take_word(std::string_view line, std::size_t& at, std::string& into) {
  while (at < line.size() && !is_space(line[at])) {
    const bool is_quote = line[at] == '"' || line[at] == '\'';
    is_quote ? take_quoted(line, at, into) : into.push_back(line[at++]);
  }
}

}  // namespace

bool QuoteScan::scan(char c) {
  using enum State;
  switch (state_) {
    case closed:
      if (!is_space(c)) return false;
      state_ = outside;
      break;
    case outside:
      if (c == '"') state_ = in_double_quotes;
      if (c == '\'') state_ = in_single_quotes;
      break;
    case in_double_quotes:
      if (c == '"') state_ = closed;
      if (c == '\\') state_ = escaped_in_double_quotes;
      break;
    case escaped_in_double_quotes: state_ = in_double_quotes; break;
    case escaped_in_single_quotes:  // only a quote can be; else the backslash stood for itself
      state_ = in_single_quotes;
      if (c == '\'') break;
      [[fallthrough]];
    case in_single_quotes:
      if (c == '\'') state_ = closed;
      if (c == '\\') state_ = escaped_in_single_quotes;
      break;
  }
  return c != '\n' || state_ == outside;
}

void split_line(std::string_view line, RespArguments& arguments) {
  arguments.unquoted.reserve(line.size());  // so that views of it stay where they are
  for (std::size_t at = 0; at < line.size();) {
    if (is_space(line[at])) {
      ++at;
      continue;
    }
    const std::size_t from = arguments.unquoted.size();
    take_word(line, at, arguments.unquoted);
    arguments.words.push_back(std::string_view(arguments.unquoted).substr(from));
  }
}

}  // namespace serverlab::kv
