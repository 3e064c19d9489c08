#pragma once

// What other threads hand to a loop. They wake the loop only if it sleeps, and once for all items
// that were added meanwhile.

#include "base/perturb.h"
#include "base/reserve.h"
#include "base/thread_contract.h"
#include "net/wake_signal.h"

#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace serverlab {

template <class Item>
class Inbox {
 public:
  /// Readable when the loop has been woken.
  int fd() const { return wake_.fd(); }

  /// The loop's thread: makes room for so many items, so that to put them cannot fail.
  void reserve(std::size_t count) {
    loop_thread_.assert_here();
    reserve_room(taken_, count);  // the two take turns
    const std::scoped_lock lock(mutex_);
    reserve_room(items_, count);
  }

  /// Any thread.
  /// @param wakes false if the loop looks by itself from time to time
  void put(Item item, bool wakes = true) {
    std::unique_lock lock(mutex_);
    items_.push_back(std::move(item));
    const bool sleeper = std::exchange(loop_sleeps_, false);
    lock.unlock();
    perturb();
    if (sleeper && wakes) wake_.wake();
  }

  /// The loop's thread, before it waits.
  /// @return whether there is nothing to take, so that it may sleep
  bool may_sleep() {
    loop_thread_.assert_here();
    const std::scoped_lock lock(mutex_);
    return loop_sleeps_ = items_.empty();
  }

  /// The loop's thread, after it has waited.
  /// @return what has come; it is the inbox's, until the loop takes or reserves again
  std::span<Item> take() {
    loop_thread_.assert_here();
    taken_.clear();
    perturb();
    const std::scoped_lock lock(mutex_);
    loop_sleeps_ = false;
    items_.swap(taken_);
    return taken_;
  }

  /// What was never taken, once no other thread uses the inbox.
  std::span<Item> left() { return items_; }

  /// Any thread: wakes the loop though there is nothing to take.
  void wake() const { wake_.wake(); }

  /// The loop's thread.
  void clear_wake() const {
    loop_thread_.assert_here();
    wake_.clear();
  }

 private:
  WakeSignal wake_;
  std::mutex mutex_;
  std::vector<Item> items_;   // guarded by mutex_
  bool loop_sleeps_ = false;  // guarded by mutex_
  std::vector<Item> taken_;   // the loop's
  [[no_unique_address]] OwnerThread loop_thread_;
};

}  // namespace serverlab
