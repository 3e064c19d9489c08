#pragma once

// A request as the course specifies it, by regular expressions:
//
//   POST   ^POST(@[^@#]*)#(.+)$
//   READ   ^READ(@[^@#]*)#([0-9]+)$
//   COUNT  ^COUNT(@[^@#]*)$
//   LIST   ^LIST$
//   EXIT   ^EXIT$
//
// in which a dot is any byte but a line feed or a carriage return.

#include <cstdint>
#include <string_view>

namespace serverlab::forum {

enum class Verb : std::uint8_t { post, read, count, list, exit, unknown };

struct Request {
  Verb verb = Verb::unknown;
  std::string_view topic;     // with its '@'
  std::string_view argument;  // of post the message, of read the digits of an id
};

/// The parts of the result are parts of the line.
using Parse = Request (*)(std::string_view line);

/// Looks at the first bytes, and then for the separators.
Request parse_prefix(std::string_view line);

/// Tries one expression after the other in the order above, as the report's server did, and builds
/// each of them anew for each request.
Request parse_regex(std::string_view line);

/// The same with expressions that are built once.
Request parse_regex_once(std::string_view line);

}  // namespace serverlab::forum
