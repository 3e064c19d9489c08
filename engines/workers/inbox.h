#pragma once

// What other threads put down for a loop. The loop is woken only when it sleeps, and once for all
// that has come meanwhile.

#include "net/wake_signal.h"

#include <mutex>
#include <utility>
#include <vector>

namespace serverlab {

template <class Item>
class Inbox {
 public:
  /// Readable when the loop has been woken.
  int fd() const { return wake_.fd(); }

  /// @param wakes false if the loop looks by itself from time to time
  void put(Item item, bool wakes = true) {
    std::unique_lock lock(mutex_);
    items_.push_back(std::move(item));
    const bool sleeper = std::exchange(loop_sleeps_, false);
    lock.unlock();
    if (sleeper && wakes) wake_.wake();
  }

  /// Before the loop waits.
  /// @return whether there is nothing to take, so that it may sleep
  bool may_sleep() {
    const std::scoped_lock lock(mutex_);
    return loop_sleeps_ = items_.empty();
  }

  /// After the loop has waited: replaces the content of `taken`.
  void take(std::vector<Item>& taken) {
    taken.clear();
    const std::scoped_lock lock(mutex_);
    loop_sleeps_ = false;
    items_.swap(taken);
  }

  void clear_wake() const { wake_.clear(); }

 private:
  WakeSignal wake_;
  std::mutex mutex_;
  std::vector<Item> items_;   // guarded by mutex_
  bool loop_sleeps_ = false;  // guarded by mutex_
};

}  // namespace serverlab
