#pragma once

// A command of many keys takes several turns, so that others have theirs in between.

#include "services/capacity.h"
#include "services/kv/resp_call.h"

#include <memory>
#include <span>
#include <string_view>

namespace serverlab::kv {

/// What a connection's command has yet to do.
class RespTurns {
 public:
  /// What a command does key by key.
  struct Work {
    void (*step)(const RespCall& call) =
        nullptr;                                  // with a key as its words, or a key and its value
    void (*end)(const RespCall& call) = nullptr;  // after the last key
    std::size_t words_each = 1;
  };

  /// Takes the first turn of a command whose words after the first are keys, and values.
  /// @param work outlives the command
  void begin(const RespCall& call, const Work& work);

  /// Takes another turn. To be called only while there is more to do.
  void go_on(const RespCall& call);

  /// Replies with a large value, in as many turns as it takes to send it.
  void say(const RespCall& call, Value::Held value);

  bool are_left() const { return has_words_left() || says_value(); }

  // Of the command that is under way.
  std::int64_t& count() { return count_; }
  std::unique_ptr<Reservation>& room() { return room_; }

 private:
  bool has_words_left() const { return words_left_ > 0; }
  bool says_value() const { return value_.memory != nullptr; }
  bool may_go_on(const RespCall& call, std::size_t keys) const;
  void say_on(const RespCall& call);
  void keep(std::string_view word);
  std::string_view kept_word(std::size_t at) const;

  const Work* work_ = nullptr;
  std::size_t words_left_ = 0;
  Value::Held value_;  // what is left of it
  std::int64_t count_ = 0;
  std::unique_ptr<Reservation> room_;
  Bytes kept_;  // the words that are left, each behind its size
};

}  // namespace serverlab::kv
