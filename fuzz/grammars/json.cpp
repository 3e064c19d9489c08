// JSON objects that follow one another: requests and replies of kv-json.

#include "fuzz/grammar.h"

#include <algorithm>
#include <fmt/format.h>

namespace serverlab::fuzz {
namespace {

constexpr std::string_view strings[] = {"k",
                                        "key",
                                        "",
                                        "GET",
                                        "POST",
                                        "get",
                                        "a b",
                                        R"(\")",
                                        R"(\\)",
                                        R"(\u0041)",
                                        R"(\ud83d\ude00)",
                                        R"(\ud83d)",
                                        R"(\x)",
                                        "{",
                                        "}",
                                        "\xff",
                                        "\xc3\xa9",
                                        "\n",
                                        R"(\n)",
                                        "200"};

std::string some_string(Random& random) { return fmt::format("\"{}\"", random.pick(strings)); }

std::string some_value(Random& random, int depth = 0) {
  static constexpr std::string_view scalars[] = {"true", "false", "null", "1.5", "1e999", "-0",
                                                 "nul",  "NaN",   "\"",   "1e",  "-"};
  constexpr int depth_max = 3;
  switch (random.below(depth < depth_max ? 6 : 4)) {
    case 0: return some_number(random);
    case 1: return std::string(random.pick(scalars));
    case 4: return fmt::format("[{},{}]", some_value(random, depth + 1), some_number(random));
    case 5: return fmt::format("{{{}:{}}}", some_string(random), some_value(random, depth + 1));
    default: return some_string(random);
  }
}

std::string member(Random& random) {
  static constexpr std::string_view names[] = {"\"type\"",       "\"key\"", "\"value\"", "\"code\"",
                                               R"("t\u0079pe")", "\"x\"",   "type"};
  static constexpr std::string_view types[] = {"\"GET\"", "\"POST\"", "\"GET\"", "\"PUT\""};
  const std::string_view name = random.pick(names);
  if (name == "\"type\"" && !random.once_in(5))
    return fmt::format("{}:{}", name, random.pick(types));
  return fmt::format("{}:{}", name, some_value(random));
}

std::string make_json(Random& random) {
  static constexpr std::string_view between[] = {"", "", "", " ", "\r\n", "\t", ",", "x"};
  std::string text = "{";
  for (std::size_t count = random.below(5); count > 0; --count) {
    text += member(random) + (count > 1 ? "," : "");
  }
  return fmt::format("{}}}{}", text, random.pick(between));
}

/// An object a message: from a brace to the one that matches it, whatever strings hold.
std::vector<std::string> json_objects(std::string_view stream) {
  std::vector<std::string> found;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at < stream.size(); ++at) {
    if (stream[at] == '{') ++depth;
    if (stream[at] != '}' || --depth > 0) continue;
    found.emplace_back(stream.substr(begin, at + 1 - begin));
    begin = at + 1;
    depth = 0;
  }
  if (begin < stream.size()) found.emplace_back(stream.substr(begin));
  return found;
}

std::string change_json(const std::string& message, Random& random) {
  const std::size_t size = message.size();
  const std::size_t quote = message.find('"', random.below(size));
  const std::size_t close = message.find('"', std::min(quote, size - 1) + 1);
  if (close == message.npos || random.once_in(3)) return mutated_bytes(message);
  std::string changed = message;
  switch (random.below(4)) {
    case 0: return changed.replace(quote, close + 1 - quote, some_value(random));
    case 1: return changed.insert(close + 1, fmt::format(":{}", some_value(random)));
    case 2: return changed.insert(close + 1, fmt::format(",{}", member(random)));
    default: return changed.replace(quote, close + 1 - quote, some_string(random));
  }
}

}  // namespace

constinit const Grammar json_grammar = {json_objects, make_json, change_json};

}  // namespace serverlab::fuzz
