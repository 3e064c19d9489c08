#include "services/forum/parser.h"

#include <algorithm>

namespace serverlab::forum {
namespace {

constexpr auto npos = std::string_view::npos;

bool is_topic(std::string_view text) {
  return text.starts_with('@') && text.find('@', 1) == npos && !text.contains('#');
}

bool is_message(std::string_view text) {
  return !text.empty() && !text.contains('\r') && !text.contains('\n');
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// "@topic#argument", if it is that.
Request with_argument(Verb verb, std::string_view text, bool (*is_argument)(std::string_view)) {
  const std::size_t separator = text.find('#');
  if (separator == npos) return {};
  const Request request = {verb, text.substr(0, separator), text.substr(separator + 1)};
  return is_topic(request.topic) && is_argument(request.argument) ? request : Request();
}

}  // namespace

Request parse_prefix(std::string_view line) {
  if (line.starts_with("POST@")) return with_argument(Verb::post, line.substr(4), is_message);
  if (line.starts_with("READ@")) return with_argument(Verb::read, line.substr(4), is_number);
  if (line.starts_with("COUNT@") && is_topic(line.substr(5))) return {Verb::count, line.substr(5)};
  if (line == "LIST") return {Verb::list};
  if (line == "EXIT") return {Verb::exit};
  return {};
}

}  // namespace serverlab::forum
