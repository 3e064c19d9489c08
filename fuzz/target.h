#pragma once

// What libFuzzer runs with each input. A sanitizer ends the program where memory or an operation is
// wrong; a target ends it by a Finding where the result is.

#include "fuzz/grammar.h"

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string_view>

namespace serverlab::fuzz {

/// What no sanitizer sees: two ways to arrive differ, a value is not the same when it is read back.
struct Finding : std::logic_error {
  using std::logic_error::logic_error;
};

struct Target {
  std::string_view name;          // also of its folder of fuzz/corpus
  std::string_view summary;       // what must not happen
  void (*run)(std::string_view);  // throws what is found
  const Grammar* grammar;         // null: bytes change, whatever they mean
  bool has_planted_bug = false;   // a canary, which must fail
};

}  // namespace serverlab::fuzz
