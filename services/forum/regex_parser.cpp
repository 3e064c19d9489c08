#include "services/forum/parser.h"

#include <array>
#include <regex>

namespace serverlab::forum {
namespace {

struct Rule {
  Verb verb;
  const char* expression;
};

constexpr Rule rules[] = {
    {Verb::post, "^POST(@[^@#]*)#(.+)$"},
    {Verb::read, "^READ(@[^@#]*)#([0-9]+)$"},
    {Verb::count, "^COUNT(@[^@#]*)$"},
    {Verb::list, "^LIST$"},
    {Verb::exit, "^EXIT$"},
};

// libstdc++ matches by recursion unless it is told to be polynomial, and a line of 1000 bytes then
// overflows the stack of 256 KiB that the engine `threads` gives a connection.
std::regex compile(const Rule& rule) {
  return std::regex(rule.expression, std::regex::ECMAScript | std::regex_constants::__polynomial);
}

Request match(const Rule& rule, const std::regex& expression, std::string_view line) {
  std::match_results<std::string_view::const_iterator> parts;
  if (!std::regex_match(line.begin(), line.end(), parts, expression)) return {};
  const auto part = [&](std::size_t number) {
    return number < parts.size() ? std::string_view(parts[number].first, parts[number].second)
                                 : std::string_view();
  };
  return {rule.verb, part(1), part(2)};
}

}  // namespace

Request parse_regex(std::string_view line) {
  for (const Rule& rule : rules) {
    const Request request = match(rule, compile(rule), line);
    if (request.verb != Verb::unknown) return request;
  }
  return {};
}

Request parse_regex_once(std::string_view line) {
  static const auto compiled =
      std::to_array({compile(rules[0]), compile(rules[1]), compile(rules[2]), compile(rules[3]),
                     compile(rules[4])});
  for (std::size_t i = 0; i < compiled.size(); ++i) {
    const Request request = match(rules[i], compiled[i], line);
    if (request.verb != Verb::unknown) return request;
  }
  return {};
}

}  // namespace serverlab::forum
