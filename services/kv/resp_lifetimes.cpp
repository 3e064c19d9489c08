#include "services/kv/resp_lifetimes.h"

#include "services/kv/resp_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace serverlab::kv {
namespace {

/// What may follow the lifetime of EXPIRE.
struct ExpireOptions {
  bool only_if_without = false;
  bool only_if_with = false;
  bool only_if_later = false;
  bool only_if_earlier = false;
  std::string error;

  /// Whether the end of an entry's life may be moved. An entry without an end has the latest.
  bool allow(Instant from, Instant to) const {
    const bool has_end = from != Instant::max();
    return !(only_if_without && has_end) && !(only_if_with && !has_end) &&
           !(only_if_later && to <= from) && !(only_if_earlier && to >= from);
  }
};

ExpireOptions expire_options(std::span<const std::string_view> words) {
  ExpireOptions options;
  const std::pair<std::string_view, bool*> names[] = {{"nx", &options.only_if_without},
                                                      {"xx", &options.only_if_with},
                                                      {"gt", &options.only_if_later},
                                                      {"lt", &options.only_if_earlier}};
  for (const std::string_view word : words) {
    const auto* const found =
        std::ranges::find_if(names, [&](const auto& row) { return is_word(word, row.first); });
    if (found == std::end(names)) {
      return {.error = fmt::format("ERR Unsupported option {}", word)};
    }
    *found->second = true;
  }
  const bool others = options.only_if_with || options.only_if_later || options.only_if_earlier;
  if (options.only_if_without && others) {
    options.error = "ERR NX and XX, GT or LT options at the same time are not compatible";
  } else if (options.only_if_later && options.only_if_earlier) {
    options.error = "ERR GT and LT options at the same time are not compatible";
  }
  return options;
}

}  // namespace

std::optional<Duration> lifetime_of(std::int64_t count, Duration unit) {
  constexpr auto longest = std::chrono::hours(24 * 365 * 100);
  if (count > longest / unit || count < -longest / unit) return std::nullopt;
  return count * unit;
}

std::string invalid_lifetime(std::string_view command) {
  return fmt::format("ERR invalid expire time in '{}' command", command);
}

void expire(const RespCall& call) {
  const ExpireOptions options = expire_options(call.words.subspan(3));
  if (!options.error.empty()) return call.reply().error(options.error);
  const auto count = integer_of(call.words[2]);
  if (!count) return call.reply().error(not_an_integer);
  const auto lifetime = lifetime_of(*count, std::chrono::seconds(1));
  if (!lifetime) return call.reply().error(invalid_lifetime("expire"));
  const Instant end = call.store.now() + *lifetime;
  const int changed = call.store.change(call.words[1], [&](Store::Slot& slot) {
    if (slot.entry() == nullptr || !options.allow(slot.entry()->expires, end)) return 0;
    *lifetime > Duration::zero() ? slot.expire(end) : slot.erase();
    return 1;
  });
  call.reply().integer(changed);
}

void time_to_live(const RespCall& call) {
  constexpr int missing = -2;
  constexpr int for_ever = -1;
  const std::int64_t left_s =
      call.store.read(call.words[1], [&](const Entry* entry) -> std::int64_t {
        if (entry == nullptr) return missing;
        if (entry->expires == Instant::max()) return for_ever;
        return std::chrono::round<std::chrono::seconds>(entry->expires - call.store.now()).count();
      });
  call.reply().integer(left_s);
}

}  // namespace serverlab::kv
