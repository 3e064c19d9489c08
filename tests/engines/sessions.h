#pragma once

// Sessions that do what no real service does so plainly: echo, speak at length, hang up.

#include "services/service.h"

#include <functional>
#include <string>

namespace serverlab {

/// A session whose behaviour the test writes down where it needs it.
struct ScriptedSession {
  std::function<Progress(ByteView, Bytes&)> script;
  Progress advance(ByteView input, Bytes& output) const { return script(input, output); }
};
static_assert(Session<ScriptedSession>);

/// Gives back what it is given.
inline AnySession echoing() {
  return ScriptedSession{[](ByteView input, Bytes& output) {
    output.append(input);
    return Progress{input.size(), Next::read_more};
  }};
}

/// The reply of a session that speaks at length, to every byte of input.
inline std::string long_speech(int pieces, std::size_t piece_bytes) {
  std::string all;
  for (int i = 0; i < pieces; ++i) all += std::string(piece_bytes, static_cast<char>('a' + i % 26));
  return all;
}

/// Replies to every byte of input with a long speech, a piece at a time: it asks for the output
/// to go out in between.
inline AnySession speaking_at_length(int pieces, std::size_t piece_bytes) {
  return ScriptedSession{[=, said = 0](ByteView input, Bytes& output) mutable {
    if (said == 0 && input.empty()) return Progress{0, Next::read_more};
    output.append(std::string(piece_bytes, static_cast<char>('a' + said % 26)));
    said = (said + 1) % pieces;
    if (said > 0) return Progress{0, Next::flush};
    return Progress{1, input.size() > 1 ? Next::flush : Next::read_more};
  }};
}

/// Replies once, whatever it is asked, and closes; consumes nothing.
inline AnySession hanging_up(std::string reply) {
  return ScriptedSession{[reply = std::move(reply)](ByteView, Bytes& output) {
    output.append(reply);
    return Progress{0, Next::close};
  }};
}

}  // namespace serverlab
