#pragma once

// Keys and values that any number of sessions share: shards by the key's hash, a lock for each.

#include "base/counted_lock.h"
#include "base/keyed_hash.h"
#include "base/stamps.h"
#include "base/thread_contract.h"
#include "services/capacity.h"
#include "services/kv/value.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
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
  Value value;
  Instant expires = Instant::max();
};

/// What the library and the heap take for an entry, about, beside its key and its value's room: a
/// node and its place in the table, another node of an entry that expires, and their rounding.
constexpr std::uint64_t entry_overhead_bytes = 192;

class Store {
 public:
  /// @param shards at least 1
  /// @param capacity of the entries, which several stores may share
  /// @param time by which entries expire
  Store(std::size_t shards, StoreLock lock, std::shared_ptr<Capacity> capacity, TimeSource time) :
      shards_(shards), lock_(lock), capacity_(std::move(capacity)), time_(std::move(time)) {}

  /// The time by which its entries expire.
  Instant now() const { return time_(); }

  /// Calls `use` with the key's entry, null if there is none; others may read it meanwhile. Any
  /// thread may call this and the other methods; without locks, one and the same thread.
  /// @return what `use` returns
  template <class Use>
  auto read(std::string_view key, Use use) {
    assert_thread();
    const HashedKey hashed(key);
    Shard& shard = shard_of(hashed);
    return locked<Access::read>(shard, [&] {
      const auto found = shard.entries.find(hashed);
      const bool alive = found != shard.entries.end() && is_alive(found->second);
      return use(static_cast<const Entry*>(alive ? &found->second : nullptr));
    });
  }

  /// What a change may do with a key.
  class Slot;

  /// Calls `use` with the key's slot, which no other thread sees meanwhile.
  /// @return what `use` returns
  template <class Use>
  auto change(std::string_view key, Use use);

  /// An entry has so many bytes at most if it was put where there was none.
  static std::uint64_t bytes_max_of(std::string_view key, std::string_view value) {
    return entry_overhead_bytes + key.size() + std::max(value.size(), std::string().capacity());
  }

  /// Reserves room, for which entries that have expired are dropped if need be. Not to be called
  /// from within `read` or `change`.
  /// @return false if there is no room
  bool make_room(Reservation& room, std::uint64_t bytes) { return make_room(room, bytes, nullptr); }

  Capacity& capacity() { return *capacity_; }

  void clear();

  /// Keys, including those that have expired and were not touched since.
  std::size_t size();

  const LockWaits& waits() const { return waits_; }

 private:
  enum class Access { read, change };

  // A peer has chosen the key. Computed once, for the shard and for its table, which keeps it.
  struct HashedKey {
    explicit HashedKey(std::string_view of) : key(of), hash(keyed_hash(of)) {}
    std::string_view key;
    std::size_t hash;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const std::string& key) const { return keyed_hash(key); }
    std::size_t operator()(const HashedKey& key) const { return key.hash; }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const std::string& a, const std::string& b) const { return a == b; }
    bool operator()(const HashedKey& a, const std::string& b) const { return a.key == b; }
    bool operator()(const std::string& a, const HashedKey& b) const { return a == b.key; }
  };
  using Entries = std::unordered_map<std::string, Entry, Hash, Equal>;
  // The keys of the entries that expire, the first one first. An entry's key stays where it is.
  using Lifetimes = std::set<std::pair<Instant, const std::string*>>;

  static constexpr std::size_t cache_line_bytes = 64;
  struct alignas(cache_line_bytes) Shard {
    std::mutex mutex;
    std::shared_mutex shared_mutex;
    Entries entries;
    Lifetimes lifetimes;
  };

  // The table takes the hash's remainder; the shard, its upper half.
  Shard& shard_of(const HashedKey& key) { return shards_[(key.hash >> 32) % shards_.size()]; }

  template <Access access, class Use>
  auto locked(Shard& shard, Use use) {
    const InStore stay;
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

  void assert_thread() const {
    if (lock_ == StoreLock::none) owner_.assert_here();
  }

  /// Calls `use` with the shard locked, unless another thread holds the lock.
  template <class Use>
  void if_free(Shard& shard, Use use);

  bool is_alive(const Entry& entry) const {
    return entry.expires == Instant::max() || time_() < entry.expires;
  }

  static std::uint64_t bytes_of(std::string_view key, const Value& value) {
    return entry_overhead_bytes + key.size() + value.capacity();
  }
  /// Of an entry that goes. What sessions still send is left to them.
  void release(std::string_view key, Value& value);
  static void set_expiry(Shard& shard, Entries::iterator entry, Instant expires);
  void erase(Shard& shard, Entries::iterator entry);

  /// @return false if there is none that had expired by then
  bool drop_expired(Shard& shard, Instant by);
  bool make_room(Reservation& room, std::uint64_t bytes, const Shard* in_use);

  std::vector<Shard> shards_;
  StoreLock lock_;
  std::shared_ptr<Capacity> capacity_;
  TimeSource time_;
  LockWaits waits_;
  [[no_unique_address]] OwnerThread owner_;  // without locks
};

/// A key in a change. Where memory ends, by the capacity or by an exception, nothing has changed.
class Store::Slot {
 public:
  Slot(Store& store, Shard& shard, const HashedKey& key) : store_(store), shard_(shard), key_(key) {
    if (!shard.lifetimes.empty()) drop_expired();
    found_ = shard.entries.find(key);
    if (entry() != nullptr && entry()->expires <= by_) erase();
  }

  /// Null if there is none.
  const Entry* entry() const { return found_ == shard_.entries.end() ? nullptr : &found_->second; }

  /// Makes the value the key's.
  /// @return false if there is no room for it
  bool put(std::string_view value, Instant expires = Instant::max()) {
    if (!fits(value.size())) return put_anew(value, expires);
    put_in_place(value, expires);
    return true;
  }

  /// The same with room that was made before.
  bool put(std::string_view value, Instant expires, Reservation& room) {
    if (!fits(value.size())) return replace(std::string(value), expires, room);
    put_in_place(value, expires);
    return true;
  }

  /// Appends to the value, which is empty if there was none.
  /// @return false if there is no room for it
  bool append(std::string_view tail);

  // Of an entry that is there.
  void expire(Instant at) { set_expiry(shard_, found_, at); }
  void erase();

 private:
  /// Whether a value goes where the old one is, and leaves not too much of that unused.
  bool fits(std::size_t size) const {
    constexpr std::size_t small = 64;
    if (entry() == nullptr) return false;
    const Value& value = entry()->value;
    if (value.is_large() || !value.has_room(size)) return false;
    return value.capacity() <= small || 2 * size >= value.capacity();
  }
  void put_in_place(std::string_view value, Instant expires) {
    if (entry()->expires != expires) expire(expires);
    found_->second.value.assign(value);  // which takes no memory
  }
  bool put_anew(std::string_view value, Instant expires);

  void drop_expired();
  bool replace(std::string new_bytes, Instant expires, Reservation& room);
  bool make_room(Reservation& room, std::uint64_t bytes);

  Store& store_;
  Shard& shard_;
  const HashedKey& key_;
  Instant by_ = Instant::min();  // what had expired by then is none of the change's
  Entries::iterator found_;
};

template <class Use>
auto Store::change(std::string_view key, Use use) {
  assert_thread();
  const HashedKey hashed(key);
  Shard& shard = shard_of(hashed);
  return locked<Access::change>(shard, [&] {
    Slot slot(*this, shard, hashed);
    return use(slot);
  });
}

}  // namespace serverlab::kv
