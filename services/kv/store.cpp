#include "services/kv/store.h"

#include <algorithm>

namespace serverlab::kv {
void Store::clear() {
  assert_thread();
  for (Shard& shard : shards_) {
    Entries dropped;
    locked<Access::change>(shard, [&] {
      shard.lifetimes.clear();
      dropped.swap(shard.entries);
      for (auto& [key, entry] : dropped) release(key, entry.value);
    });
  }
}

std::size_t Store::size() {
  std::size_t keys = 0;
  for (Shard& shard : shards_) {
    keys += locked<Access::read>(shard, [&] { return shard.entries.size(); });
  }
  return keys;
}

template <class Use>
void Store::if_free(Shard& shard, Use use) {
  if (lock_ == StoreLock::mutex) {
    if (const std::unique_lock lock(shard.mutex, std::try_to_lock); lock) use();
  } else if (lock_ == StoreLock::shared) {
    if (const std::unique_lock lock(shard.shared_mutex, std::try_to_lock); lock) use();
  } else {
    use();
  }
}

// To begin to expire takes memory; nothing else does.
void Store::set_expiry(Shard& shard, Entries::iterator entry, Instant expires) {
  Instant& old = entry->second.expires;
  if (old == expires) return;
  if (old == Instant::max()) {
    shard.lifetimes.emplace(expires, &entry->first);
  } else {
    auto lifetime = shard.lifetimes.extract({old, &entry->first});
    lifetime.value().first = expires;
    if (expires != Instant::max()) shard.lifetimes.insert(std::move(lifetime));
  }
  old = expires;
}

void Store::erase(Shard& shard, Entries::iterator entry) {
  set_expiry(shard, entry, Instant::max());
  release(entry->first, entry->second.value);
  shard.entries.erase(entry);
}

void Store::release(std::string_view key, Value& value) {
  std::uint64_t bytes = bytes_of(key, value);
  if (value.is_held()) {
    bytes -= value.capacity();
    value.release_later(capacity_);
  }
  capacity_->release(bytes);
}

bool Store::drop_expired(Shard& shard, Instant by) {
  if (shard.lifetimes.empty() || shard.lifetimes.begin()->first > by) return false;
  erase(shard, shard.entries.find(*shard.lifetimes.begin()->second));
  return true;
}

// A shard that another thread changes is passed over: two threads that wait for one another's shard
// would wait for ever.
// @param in_use the one that the caller changes itself
bool Store::make_room(Reservation& room, std::uint64_t bytes, const Shard* in_use) {
  if (room.reach(bytes)) return true;
  const Instant by = time_();
  bool has_room = false;
  for (Shard& shard : shards_) {
    if (&shard == in_use) continue;
    if_free(shard, [&] {
      while (!has_room && drop_expired(shard, by)) has_room = room.reach(bytes);
    });
    if (has_room) return true;
  }
  return room.reach(bytes);
}

void Store::Slot::drop_expired() {
  constexpr int dropped_max = 16;  // more than come, and yet no change takes long
  by_ = store_.now();
  for (int i = 0; i < dropped_max && store_.drop_expired(shard_, by_); ++i) {
  }
}

bool Store::Slot::put_anew(std::string_view value, Instant expires) {
  Reservation room(*store_.capacity_);
  return replace(std::string(value), expires, room);
}

bool Store::Slot::append(std::string_view tail) {
  if (entry() == nullptr) return put(tail);
  Value& value = found_->second.value;
  const std::size_t size = value.size() + tail.size();
  if (value.has_room(size)) {
    value.append(tail);
    return true;
  }
  std::string grown;
  grown.reserve(std::max(size, 2 * value.capacity()));
  grown += value.view();
  grown += tail;
  Reservation room(*store_.capacity_);
  return replace(std::move(grown), found_->second.expires, room);
}

void Store::Slot::erase() {
  store_.erase(shard_, found_);
  found_ = shard_.entries.end();
}

// Whatever takes memory comes first, then whatever changes.
bool Store::Slot::replace(std::string new_bytes, Instant expires, Reservation& room) {
  Value value(std::move(new_bytes));
  const std::uint64_t bytes = bytes_of(key_.key, value);
  const bool was_held = entry() != nullptr && entry()->value.is_held();
  const std::uint64_t old_bytes =
      entry() == nullptr
          ? 0
          : bytes_of(key_.key, entry()->value) - (was_held ? entry()->value.capacity() : 0);
  if (bytes > old_bytes && !make_room(room, bytes - old_bytes)) return false;
  if (entry() == nullptr) {
    const auto made = shard_.entries.try_emplace(std::string(key_.key)).first;
    try {
      set_expiry(shard_, made, expires);
    } catch (...) {
      shard_.entries.erase(made);
      throw;
    }
    found_ = made;
  } else {
    expire(expires);
  }
  found_->second.value.swap(value);
  if (was_held) value.release_later(store_.capacity_);
  bytes > old_bytes ? room.take(bytes - old_bytes) : store_.capacity_->release(old_bytes - bytes);
  return true;
}

// The change's own shard first: what has expired there, this thread may drop at once.
bool Store::Slot::make_room(Reservation& room, std::uint64_t bytes) {
  bool has_room = room.reach(bytes);
  while (!has_room && store_.drop_expired(shard_, by_)) has_room = room.reach(bytes);
  return has_room || store_.make_room(room, bytes, &shard_);
}

}  // namespace serverlab::kv
