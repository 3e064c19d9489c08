#pragma once

// The commands that read and change values.

#include "services/kv/resp_commands.h"

namespace serverlab::kv {

/// Whether a word is this one, in capitals or not.
/// @param lower in lower case
inline bool is_word(std::string_view word, std::string_view lower) {
  if (word.size() != lower.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    const char folded = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    if (folded != lower[i]) return false;
  }
  return true;
}

void get(const RespCall& call);
void set(const RespCall& call);
void exchange(const RespCall& call);
void erase(const RespCall& call);
void exists(const RespCall& call);
void increment(const RespCall& call);  // by one, or by a third word
void decrement(const RespCall& call);
void append(const RespCall& call);
void string_length(const RespCall& call);
void get_many(const RespCall& call);
void set_many(const RespCall& call);
void expire(const RespCall& call);
void time_to_live(const RespCall& call);

}  // namespace serverlab::kv
