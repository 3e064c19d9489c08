#include "services/forum/store.h"

#include "base/keyed_hash.h"
#include "base/stamps.h"

#include <utility>

namespace serverlab::forum {
namespace {

constexpr std::size_t shards_of_sharded = 64;

// What the library takes beside the text: a std::string and a block of the heap; the node of a map
// and the first block of a std::deque.
constexpr std::uint64_t message_overhead_bytes = 64;
constexpr std::uint64_t topic_overhead_bytes = 1024;

}  // namespace

Store::Store(Locking locking, std::uint64_t capacity_bytes) :
    locking_(locking),
    capacity_(capacity_bytes),
    shards_(locking == Locking::sharded ? shards_of_sharded : 1) {}

template <class Body>
auto Store::reading(Shard& shard, Body body) {
  const InStore stay;
  using enum Locking;
  if (locking_ == mutex) {
    const CountedLock lock(shard.mutex, read_waits_);
    return body();
  }
  if (locking_ == exclusive) {
    const CountedLock lock(shard.shared_mutex, read_waits_);
    return body();
  }
  const CountedSharedLock lock(shard.shared_mutex, read_waits_);
  return body();
}

template <class Body>
auto Store::writing(Shard& shard, Body body) {
  const InStore stay;
  if (locking_ == Locking::mutex) {
    const CountedLock lock(shard.mutex, post_waits_);
    return body();
  }
  const CountedLock lock(shard.shared_mutex, post_waits_);
  return body();
}

std::optional<std::uint64_t> Store::post(std::string_view topic, std::string_view message) {
  using Id = std::optional<std::uint64_t>;
  std::string text(message);  // what can be done without the lock is
  Shard& shard = shard_of(topic);
  return writing(shard, [&]() -> Id {
    const auto found = shard.topics.find(topic);
    const bool is_new = found == shard.topics.end();
    const std::uint64_t bytes =
        text.size() + message_overhead_bytes + (is_new ? topic_overhead_bytes : 0);
    Reservation room(capacity_);
    if (!room.reach(bytes)) return std::nullopt;
    std::uint64_t id = 0;
    if (is_new) {
      Messages messages;
      messages.push_back(std::move(text));
      shard.topics.try_emplace(std::string(topic), std::move(messages));
    } else {
      id = found->second.size();
      found->second.push_back(std::move(text));
    }
    room.take(bytes);
    return id;
  });
}

std::string_view Store::read(std::string_view topic, std::uint64_t id) {
  Shard& shard = shard_of(topic);
  return reading(shard, [&]() -> std::string_view {
    const auto found = shard.topics.find(topic);
    if (found == shard.topics.end() || id >= found->second.size()) return {};
    return found->second[id];
  });
}

std::uint64_t Store::count(std::string_view topic) {
  Shard& shard = shard_of(topic);
  return reading(shard, [&]() -> std::uint64_t {
    const auto found = shard.topics.find(topic);
    return found == shard.topics.end() ? 0 : found->second.size();
  });
}

bool Store::list(Listing& listing, std::size_t bytes_max, Bytes& output) {
  for (; listing.shard < shards_.size(); ++listing.shard) {
    if (!list_shard(shards_[listing.shard], listing, bytes_max, output)) return false;
    listing.last.clear();
  }
  return true;
}

bool Store::list_shard(Shard& shard, Listing& listing, std::size_t bytes_max, Bytes& output) {
  return reading(shard, [&] {
    const std::string* last = nullptr;
    for (auto at = shard.topics.upper_bound(listing.last); at != shard.topics.end(); ++at) {
      if (output.size() >= bytes_max) {
        if (last != nullptr) listing.last = *last;
        return false;
      }
      if (std::exchange(listing.begun, true)) output.append("#");
      last = &at->first;
      output.append(*last);
    }
    return true;
  });
}

std::uint64_t Store::topics() {
  std::uint64_t sum = 0;
  for (Shard& shard : shards_) {
    sum += reading(shard, [&] { return shard.topics.size(); });
  }
  return sum;
}

std::uint64_t Store::messages() {
  std::uint64_t sum = 0;
  for (Shard& shard : shards_) {
    reading(shard, [&] {
      for (const auto& [name, messages] : shard.topics) sum += messages.size();
    });
  }
  return sum;
}

Store::Shard& Store::shard_of(std::string_view topic) {
  if (shards_.size() == 1) return shards_.front();
  return shards_[keyed_hash(topic) % shards_.size()];
}

}  // namespace serverlab::forum
