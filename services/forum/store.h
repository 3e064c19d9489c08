#pragma once

// Topics and their messages, for the threads of an engine together. Messages are never changed,
// moved or removed: a text that was found stays where it is without a lock.

#include "base/bytes.h"
#include "base/counted_lock.h"
#include "services/capacity.h"

#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace serverlab::forum {

/// Each kind differs from the next in one thing.
enum class Locking {
  mutex,      // one std::mutex
  exclusive,  // one std::shared_mutex, always locked exclusively
  shared,     // one std::shared_mutex that readers share: the report's
  sharded,    // the same, of each 64th of the topics
};

/// Bytes of a topic's name and of a message at most; what is beyond them is cut off.
constexpr std::size_t text_bytes_max = 140;

/// How far a list has come.
struct Listing {
  std::size_t shard = 0;
  std::string last;  // the topic of this shard that was listed last
  bool begun = false;
};

class Store {
 public:
  /// @param capacity_bytes of the memory that topics and messages take, about
  Store(Locking locking, std::uint64_t capacity_bytes);

  /// Appends a message. Where memory ends, by the capacity or an exception, nothing has changed.
  /// @param message not empty
  /// @return its id: how many the topic had before; none if the store is full
  std::optional<std::uint64_t> post(std::string_view topic, std::string_view message);

  /// @return the text, which lives as long as the store; empty if there is none
  std::string_view read(std::string_view topic, std::uint64_t id);

  std::uint64_t count(std::string_view topic);

  /// Appends the topics after those that are listed already, with '#' between them, until `output`
  /// holds `bytes_max` or a little more. A topic that is new meanwhile may be missed.
  /// @return whether the list is complete
  bool list(Listing& listing, std::size_t bytes_max, Bytes& output);

  std::uint64_t topics();
  std::uint64_t messages();
  const LockWaits& read_waits() const { return read_waits_; }
  const LockWaits& post_waits() const { return post_waits_; }

 private:
  using Messages = std::deque<std::string>;
  using Topics = std::map<std::string, Messages, std::less<>>;

  static constexpr std::size_t cache_line_bytes = 64;
  struct alignas(cache_line_bytes) Shard {
    std::mutex mutex;                // guards `topics` where the locking is Locking::mutex,
    std::shared_mutex shared_mutex;  // and this one where it is another
    Topics topics;
  };

  Shard& shard_of(std::string_view topic);
  bool list_shard(Shard& shard, Listing& listing, std::size_t bytes_max, Bytes& output);

  /// Calls `body` while it may read the shard.
  template <class Body>
  auto reading(Shard& shard, Body body);

  /// Calls `body` while it may change the shard.
  template <class Body>
  auto writing(Shard& shard, Body body);

  Locking locking_;
  Capacity capacity_;
  std::vector<Shard> shards_;
  LockWaits read_waits_;
  LockWaits post_waits_;
};

}  // namespace serverlab::forum
