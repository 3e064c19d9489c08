#pragma once

// Keys and values that any number of sessions share: shards by the key's hash, a lock for each.

#include "base/counted_lock.h"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace serverlab::kv {

enum class StoreLock {
  mutex,   // one session at a time in a shard
  shared,  // or any number that only read
  none,    // all sessions are run by one thread
};

struct Entry {
  std::string value;
  Instant expires = Instant::max();

  bool is_alive() const { return expires == Instant::max() || now() < expires; }
};

class Store {
 public:
  /// @param shards at least 1
  Store(std::size_t shards, StoreLock lock) : shards_(shards), lock_(lock) {}

  /// Calls `use` with the key's entry, null if there is none; others may read it meanwhile.
  /// @return what `use` returns
  template <class Use>
  auto read(std::string_view key, Use use) {
    const HashedKey hashed(key);
    Shard& shard = shard_of(hashed);
    return locked<Access::read>(shard, [&] {
      const auto found = shard.entries.find(hashed);
      const bool alive = found != shard.entries.end() && found->second.is_alive();
      return use(static_cast<const Entry*>(alive ? &found->second : nullptr));
    });
  }

  /// What a change may do with a key.
  class Slot;

  /// Calls `use` with the key's slot, which nobody else sees meanwhile.
  /// @return what `use` returns
  template <class Use>
  auto change(std::string_view key, Use use);

  void clear();

  /// Keys, including those that have expired and were not touched since.
  std::size_t size();

  const LockWaits& waits() const { return waits_; }

 private:
  enum class Access { read, change };

  // The hash is computed once, for the shard and for its table.
  struct HashedKey {
    explicit HashedKey(std::string_view of) : key(of), hash(std::hash<std::string_view>()(of)) {}
    std::string_view key;
    std::size_t hash;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const std::string& key) const {
      return std::hash<std::string_view>()(key);
    }
    std::size_t operator()(const HashedKey& key) const { return key.hash; }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const std::string& a, const std::string& b) const { return a == b; }
    bool operator()(const HashedKey& a, const std::string& b) const { return a.key == b; }
    bool operator()(const std::string& a, const HashedKey& b) const { return a == b.key; }
  };
  using Entries = std::unordered_map<std::string, Entry, Hash, Equal>;

  static constexpr std::size_t cache_line_bytes = 64;
  struct alignas(cache_line_bytes) Shard {
    std::mutex mutex;
    std::shared_mutex shared_mutex;
    Entries entries;
  };

  // The table takes the hash's remainder; the shard, its upper half.
  Shard& shard_of(const HashedKey& key) { return shards_[(key.hash >> 32) % shards_.size()]; }

  template <Access access, class Use>
  auto locked(Shard& shard, Use use) {
    if (lock_ == StoreLock::mutex) {
      const CountedLock lock(shard.mutex, waits_);
      return use();
    }
    if (lock_ == StoreLock::none) return use();
    if constexpr (access == Access::read) {
      const CountedSharedLock lock(shard.shared_mutex, waits_);
      return use();
    } else {
      const CountedLock lock(shard.shared_mutex, waits_);
      return use();
    }
  }

  std::vector<Shard> shards_;
  StoreLock lock_;
  LockWaits waits_;
};

class Store::Slot {
 public:
  Slot(Entries& entries, const HashedKey& key) :
      entries_(entries), key_(key), found_(entries.find(key)) {
    if (found_ != entries_.end() && !found_->second.is_alive()) erase();
  }

  /// Null if there is none.
  Entry* entry() { return found_ == entries_.end() ? nullptr : &found_->second; }

  /// The entry; a new one, empty, if there was none.
  Entry& made() {
    if (found_ == entries_.end()) found_ = entries_.try_emplace(std::string(key_.key)).first;
    return found_->second;
  }

  void erase() {
    entries_.erase(found_);
    found_ = entries_.end();
  }

 private:
  Entries& entries_;
  const HashedKey& key_;
  Entries::iterator found_;
};

template <class Use>
auto Store::change(std::string_view key, Use use) {
  const HashedKey hashed(key);
  Shard& shard = shard_of(hashed);
  return locked<Access::change>(shard, [&] {
    Slot slot(shard.entries, hashed);
    return use(slot);
  });
}

}  // namespace serverlab::kv
