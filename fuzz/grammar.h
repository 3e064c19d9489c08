#pragma once

// How the messages of a protocol are made and changed. Bytes that are changed at random end in the
// first lines of a parser; a message with one thing changed reaches what is behind it.

#include "fuzz/random.h"

#include <string>
#include <string_view>
#include <vector>

namespace serverlab::fuzz {

struct Grammar {
  /// Cuts a stream where its messages begin, as well as can be told; nothing is left out.
  std::vector<std::string> (*messages)(std::string_view stream);

  /// A message, right or nearly so.
  std::string (*make)(Random&);

  /// The message with one thing in it changed.
  std::string (*change)(const std::string& message, Random&);
};

/// A stream in which a message was made, changed, dropped, doubled or moved.
std::string mutated(const Grammar& grammar, std::string_view stream, Random& random);

/// A text with some of its bytes changed, as libFuzzer does it.
std::string mutated_bytes(std::string text);

/// A number at which a parser may stumble.
std::string some_number(Random& random);

extern const Grammar http_grammar;
extern const Grammar json_grammar;
extern const Grammar resp_grammar;
extern const Grammar resp_reply_grammar;
extern const Grammar forum_grammar;
extern const Grammar bucket_grammar;
extern const Grammar settings_grammar;

}  // namespace serverlab::fuzz
