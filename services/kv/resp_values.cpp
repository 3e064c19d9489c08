#include "services/kv/resp_values.h"

#include "services/kv/resp_lifetimes.h"
#include "services/kv/resp_request.h"
#include "services/kv/resp_turns.h"
#include "services/kv/resp_words.h"

#include <memory>
#include <optional>
#include <utility>

namespace serverlab::kv {
namespace {

constexpr const char* bad_syntax = "ERR syntax error";
constexpr const char* out_of_memory = "OOM command not allowed when used memory > 'maxmemory'.";

void reply_value(const RespCall& call, const Value* value) {
  if (value == nullptr) return call.reply().null();
  value->is_large() ? call.turns.say(call, value->hold()) : call.reply().bulk(value->view());
}

void reply_value_of(const RespCall& call, std::string_view key) {
  call.store.read(key, [&](const Entry* entry) {
    reply_value(call, entry == nullptr ? nullptr : &entry->value);
  });
}

void reply_value_of_key(const RespCall& call) { reply_value_of(call, call.words[0]); }

void reply_count(const RespCall& call) {
  call.reply().integer(std::exchange(call.turns.count(), 0));
}

/// What may follow the value of SET.
struct SetOptions {
  bool only_if_missing = false;
  bool only_if_there = false;
  bool gets_old = false;
  Duration lifetime{};  // zero: for ever
  std::string error;
};

SetOptions set_options(std::span<const std::string_view> words) {
  SetOptions options;
  std::string_view count;
  Duration unit{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto is_lifetime_in = [&](std::string_view name, Duration its_unit) {
      return is_word(words[i], name) && i + 1 < words.size() &&
             (unit == Duration::zero() || unit == its_unit);
    };
    if (is_word(words[i], "nx") && !options.only_if_there) {
      options.only_if_missing = true;
    } else if (is_word(words[i], "xx") && !options.only_if_missing) {
      options.only_if_there = true;
    } else if (is_word(words[i], "get")) {
      options.gets_old = true;
    } else if (is_lifetime_in("ex", std::chrono::seconds(1))) {
      unit = std::chrono::seconds(1);
      count = words[++i];
    } else if (is_lifetime_in("px", std::chrono::milliseconds(1))) {
      unit = std::chrono::milliseconds(1);
      count = words[++i];
    } else {
      return {.error = bad_syntax};
    }
  }
  if (unit == Duration::zero()) return options;
  const auto number = integer_of(count);
  if (!number) return {.error = not_an_integer};
  const auto lifetime = lifetime_of(*number, unit);
  if (!lifetime || *lifetime <= Duration::zero()) return {.error = invalid_lifetime("set")};
  options.lifetime = *lifetime;
  return options;
}

void set_with(const RespCall& call, const SetOptions& options) {
  const Instant expires =
      options.lifetime > Duration::zero() ? call.store.now() + options.lifetime : Instant::max();
  call.store.change(call.words[1], [&](Store::Slot& slot) {
    const Entry* const old = slot.entry();
    const bool refused =
        (options.only_if_missing && old != nullptr) || (options.only_if_there && old == nullptr);
    std::optional<Value> replied;
    if (options.gets_old && old != nullptr) replied = old->value;
    if (!refused && !slot.put(call.words[2], expires)) return call.reply().error(out_of_memory);
    if (options.gets_old) return reply_value(call, replied ? &*replied : nullptr);
    refused ? call.reply().null() : call.reply().ok();
  });
}

void add(const RespCall& call, std::int64_t summand) {
  call.store.change(call.words[1], [&](Store::Slot& slot) {
    std::int64_t value = 0;
    Instant expires = Instant::max();
    if (const Entry* old = slot.entry()) {
      expires = old->expires;
      const auto number = integer_of(old->value.view());
      if (!number) return call.reply().error(not_an_integer);
      value = *number;
    }
    if (__builtin_add_overflow(value, summand, &value)) {
      return call.reply().error("ERR increment or decrement would overflow");
    }
    if (!slot.put(std::to_string(value), expires)) return call.reply().error(out_of_memory);
    call.reply().integer(value);
  });
}

}  // namespace

void get(const RespCall& call) { reply_value_of(call, call.words[1]); }

void set(const RespCall& call) {
  const SetOptions options = set_options(call.words.subspan(3));
  options.error.empty() ? set_with(call, options) : call.reply().error(options.error);
}

void exchange(const RespCall& call) { set_with(call, {.gets_old = true}); }

void erase(const RespCall& call) {
  static constexpr RespTurns::Work erasing = {.step =
                                                  [](const RespCall& one) {
                                                    one.store.change(one.words[0],
                                                                     [&](Store::Slot& slot) {
                                                                       if (slot.entry() == nullptr)
                                                                         return;
                                                                       slot.erase();
                                                                       ++one.turns.count();
                                                                     });
                                                  },
                                              .end = reply_count};
  call.turns.begin(call, erasing);
}

void exists(const RespCall& call) {
  static constexpr RespTurns::Work looking = {
      .step =
          [](const RespCall& one) {
            one.turns.count() += one.store.read(
                one.words[0], [](const Entry* entry) { return entry != nullptr ? 1 : 0; });
          },
      .end = reply_count};
  call.turns.begin(call, looking);
}

void increment(const RespCall& call) {
  const auto summand = call.words.size() > 2 ? integer_of(call.words[2]) : 1;
  summand ? add(call, *summand) : call.reply().error(not_an_integer);
}

void decrement(const RespCall& call) {
  const auto difference = call.words.size() > 2 ? integer_of(call.words[2]) : 1;
  if (!difference) return call.reply().error(not_an_integer);
  if (*difference == INT64_MIN) return call.reply().error("ERR decrement would overflow");
  add(call, -*difference);
}

void append(const RespCall& call) {
  const std::string_view tail = call.words[2];
  call.store.change(call.words[1], [&](Store::Slot& slot) {
    const std::size_t size =
        tail.size() + (slot.entry() == nullptr ? 0 : slot.entry()->value.size());
    if (size > bulk_bytes_max) {
      return call.reply().error("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
    }
    if (!slot.append(tail)) return call.reply().error(out_of_memory);
    call.reply().integer(static_cast<std::int64_t>(size));
  });
}

void string_length(const RespCall& call) {
  const std::size_t size = call.store.read(call.words[1], [](const Entry* entry) {
    return entry == nullptr ? std::size_t{0} : entry->value.size();
  });
  call.reply().integer(static_cast<std::int64_t>(size));
}

// Key by key: others may see some of them before the rest.
void get_many(const RespCall& call) {
  static constexpr RespTurns::Work reading = {.step = reply_value_of_key,
                                              .end = [](const RespCall&) {}};
  call.reply().array(call.words.size() - 1);
  call.turns.begin(call, reading);
}

// Key by key: others may see some of them before the rest. The capacity refuses all or none: room
// is made for all of them first, as though each key were new.
void set_many(const RespCall& call) {
  const auto pairs = call.words.subspan(1);
  if (pairs.size() % 2 != 0) {
    return call.reply().error("ERR wrong number of arguments for 'mset' command");
  }
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    bytes += Store::bytes_max_of(pairs[i], pairs[i + 1]);
  }
  auto room = std::make_unique<Reservation>(call.store.capacity());
  if (!call.store.make_room(*room, bytes)) return call.reply().error(out_of_memory);
  static constexpr RespTurns::Work putting = {
      .step =
          [](const RespCall& pair) {
            pair.store.change(pair.words[0], [&](Store::Slot& slot) {
              slot.put(pair.words[1], Instant::max(), *pair.turns.room());
            });
          },
      .end =
          [](const RespCall& done) {
            done.turns.room().reset();
            done.reply().ok();
          },
      .words_each = 2};
  call.turns.room() = std::move(room);
  call.turns.begin(call, putting);
}

}  // namespace serverlab::kv
