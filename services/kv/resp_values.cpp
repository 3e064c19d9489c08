#include "services/kv/resp_values.h"

#include "services/kv/resp_request.h"

#include <charconv>
#include <optional>

namespace serverlab::kv {
namespace {

constexpr std::string_view not_an_integer = "ERR value is not an integer or out of range";
constexpr std::string_view bad_syntax = "ERR syntax error";

RespReply reply_of(const RespCall& call) { return {call.output, call.version}; }

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.begin(), text.end(), value);
  if (text.empty() || failure != std::errc() || end != text.end()) return std::nullopt;
  return value;
}

void reply_value(const RespCall& call, const Entry* entry) {
  entry == nullptr ? reply_of(call).null() : reply_of(call).bulk(entry->value);
}

/// What may follow the value of SET.
struct SetOptions {
  bool only_if_missing = false;
  bool only_if_there = false;
  bool gets_old = false;
  Duration lifetime{};  // zero: for ever
  std::string_view error;
};

// A lifetime that a word gives in seconds or milliseconds: above zero, no longer than a century.
std::optional<Duration> lifetime_of(std::string_view text, Duration unit) {
  constexpr auto longest = std::chrono::hours(24 * 365 * 100);
  const auto count = integer_of(text);
  if (!count || *count <= 0 || *count > longest / unit) return std::nullopt;
  return *count * unit;
}

SetOptions set_options(std::span<const std::string_view> words) {
  SetOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool in_seconds = is_word(words[i], "ex");
    if (is_word(words[i], "nx")) {
      options.only_if_missing = true;
    } else if (is_word(words[i], "xx")) {
      options.only_if_there = true;
    } else if (is_word(words[i], "get")) {
      options.gets_old = true;
    } else if ((in_seconds || is_word(words[i], "px")) && i + 1 < words.size() &&
               options.lifetime == Duration::zero()) {
      const Duration unit =
          in_seconds ? Duration(std::chrono::seconds(1)) : Duration(std::chrono::milliseconds(1));
      ++i;
      if (!integer_of(words[i])) return {.error = not_an_integer};
      const auto lifetime = lifetime_of(words[i], unit);
      if (!lifetime) return {.error = "ERR invalid expire time in 'set' command"};
      options.lifetime = *lifetime;
    } else {
      return {.error = bad_syntax};
    }
  }
  if (options.only_if_missing && options.only_if_there) return {.error = bad_syntax};
  return options;
}

void set_with(const RespCall& call, const SetOptions& options) {
  const Instant expires =
      options.lifetime > Duration::zero() ? now() + options.lifetime : Instant::max();
  call.store.change(call.words[1], [&](Store::Slot& slot) {
    Entry* const old = slot.entry();
    const bool refused =
        (options.only_if_missing && old != nullptr) || (options.only_if_there && old == nullptr);
    if (options.gets_old) reply_value(call, old);
    if (!refused) {
      Entry& entry = slot.made();
      entry.value = call.words[2];
      entry.expires = expires;
    }
    if (options.gets_old) return;
    refused ? reply_of(call).null() : reply_of(call).ok();
  });
}

void add(const RespCall& call, std::int64_t summand) {
  call.store.change(call.words[1], [&](Store::Slot& slot) {
    std::int64_t value = 0;
    if (const Entry* old = slot.entry()) {
      const auto number = integer_of(old->value);
      if (!number) return reply_of(call).error(not_an_integer);
      value = *number;
    }
    if (__builtin_add_overflow(value, summand, &value)) {
      return reply_of(call).error("ERR increment or decrement would overflow");
    }
    slot.made().value = std::to_string(value);
    reply_of(call).integer(value);
  });
}

}  // namespace

void get(const RespCall& call) {
  call.store.read(call.words[1], [&](const Entry* entry) { reply_value(call, entry); });
}

void set(const RespCall& call) {
  const SetOptions options = set_options(call.words.subspan(3));
  options.error.empty() ? set_with(call, options) : reply_of(call).error(options.error);
}

void exchange(const RespCall& call) { set_with(call, {.gets_old = true}); }

void erase(const RespCall& call) {
  std::int64_t erased = 0;
  for (const std::string_view key : call.words.subspan(1)) {
    erased += call.store.change(key, [](Store::Slot& slot) {
      if (slot.entry() == nullptr) return 0;
      slot.erase();
      return 1;
    });
  }
  reply_of(call).integer(erased);
}

void exists(const RespCall& call) {
  std::int64_t found = 0;
  for (const std::string_view key : call.words.subspan(1)) {
    found += call.store.read(key, [](const Entry* entry) { return entry != nullptr ? 1 : 0; });
  }
  reply_of(call).integer(found);
}

void increment(const RespCall& call) {
  const auto summand = call.words.size() > 2 ? integer_of(call.words[2]) : 1;
  summand ? add(call, *summand) : reply_of(call).error(not_an_integer);
}

void decrement(const RespCall& call) { add(call, -1); }

void append(const RespCall& call) {
  call.store.change(call.words[1], [&](Store::Slot& slot) {
    std::string& value = slot.made().value;
    if (value.size() + call.words[2].size() > bulk_bytes_max) {
      return reply_of(call).error("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
    }
    value += call.words[2];
    reply_of(call).integer(static_cast<std::int64_t>(value.size()));
  });
}

void string_length(const RespCall& call) {
  const std::size_t size = call.store.read(call.words[1], [](const Entry* entry) {
    return entry == nullptr ? std::size_t{0} : entry->value.size();
  });
  reply_of(call).integer(static_cast<std::int64_t>(size));
}

// Key by key: others may see some of them before the rest.
void get_many(const RespCall& call) {
  constexpr std::size_t reply_bytes_max = 64 << 20;
  const auto keys = call.words.subspan(1);
  std::size_t bytes = 0;
  for (const std::string_view key : keys) {
    bytes += call.store.read(
        key, [](const Entry* entry) { return entry == nullptr ? 0 : entry->value.size(); });
  }
  if (bytes > reply_bytes_max) return reply_of(call).error("ERR the reply would exceed 64 MB");
  reply_of(call).array(keys.size());
  for (const std::string_view key : keys) {
    call.store.read(key, [&](const Entry* entry) { reply_value(call, entry); });
  }
}

// Key by key: others may see some of them before the rest.
void set_many(const RespCall& call) {
  const auto pairs = call.words.subspan(1);
  if (pairs.size() % 2 != 0) {
    return reply_of(call).error("ERR wrong number of arguments for 'mset' command");
  }
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    call.store.change(pairs[i], [&](Store::Slot& slot) {
      Entry& entry = slot.made();
      entry.value = pairs[i + 1];
      entry.expires = Instant::max();
    });
  }
  reply_of(call).ok();
}

void expire(const RespCall& call) {
  const auto count = integer_of(call.words[2]);
  if (!count) return reply_of(call).error(not_an_integer);
  const auto lifetime = lifetime_of(call.words[2], std::chrono::seconds(1));
  if (!lifetime && *count > 0) {
    return reply_of(call).error("ERR invalid expire time in 'expire' command");
  }
  const int changed = call.store.change(call.words[1], [&](Store::Slot& slot) {
    if (slot.entry() == nullptr) return 0;
    lifetime ? void(slot.entry()->expires = now() + *lifetime) : slot.erase();
    return 1;
  });
  reply_of(call).integer(changed);
}

void time_to_live(const RespCall& call) {
  constexpr int missing = -2;
  constexpr int for_ever = -1;
  const std::int64_t left_s =
      call.store.read(call.words[1], [](const Entry* entry) -> std::int64_t {
        if (entry == nullptr) return missing;
        if (entry->expires == Instant::max()) return for_ever;
        return std::chrono::round<std::chrono::seconds>(entry->expires - now()).count();
      });
  reply_of(call).integer(left_s);
}

}  // namespace serverlab::kv
