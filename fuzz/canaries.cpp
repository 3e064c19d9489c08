// Targets with a bug: if one is not found, nothing would be.

#include "fuzz/arrival.h"
#include "fuzz/targets.h"

#include <cstring>

namespace serverlab::fuzz {
namespace {

/// Repeats lines, but of one that begins with SA only what has come in the last piece.
struct Forgetful {
  Progress advance(ByteView input, Bytes& output) {
    const std::string_view text = text_of(input);
    const std::size_t size = text.find('\n') + 1;
    if (size == 0) {
      forgotten_ = text.size();
      return {};
    }
    const std::string_view line = text.substr(0, size);
    output.append(line.starts_with("SA") ? line.substr(forgotten_) : line);
    forgotten_ = 0;
    return {.consumed = size, .next = Next::flush};
  }

  std::size_t forgotten_ = 0;
};

}  // namespace

// Copies all of the input where there is room for half of it.
void run_overflow_canary(std::string_view input) {
  if (!input.starts_with("PUT")) return;
  std::vector<char> room(input.size() / 2);
  std::memcpy(room.data(), input.data(), input.size());
}

void run_difference_canary(std::string_view input) {
  expect_same([] { return Forgetful(); }, input);
}

}  // namespace serverlab::fuzz
