#pragma once

// How a loop ends. It serves, learns of the stop, drains until no connection is left, and ends at
// the drain limit in any case. This holds no wait: a loop asks it between two turns. It belongs to
// the loop's thread; what another thread may call says so.

#include "base/thread_contract.h"
#include "engines/connections/drain_deadline.h"

#include <utility>

namespace serverlab {

class Drain {
 public:
  Drain(const StopSignal& stop, Duration limit) : deadline_(stop, limit) {}

  /// Whether the loop continues. The drain limit ends it also before it has learnt of the stop: it
  /// may have taken no event since.
  /// @param is_idle no connection is left
  bool goes_on(bool is_idle) const {
    owner_.assert_here();
    return !(has_begun_ && is_idle) && !is_cut_off();
  }

  /// Call it when the loop has learnt of the stop. The drain begins after the batch of events, in
  /// which clients may still connect.
  void ask() {
    owner_.assert_here();
    is_asked_ = true;
  }

  /// Call it after each batch.
  /// @return true once, when the drain begins: the loop then accepts the connections in the accept
  ///   queue, and ends receiving
  bool begins() {
    owner_.assert_here();
    if (!is_asked_ || has_begun_) return false;
    has_begun_ = true;
    return true;
  }

  bool has_begun() const { return has_begun_; }

  /// Whether the drain limit has passed, so that the loop must not take another turn. Call it from
  /// any thread.
  bool is_cut_off() const { return deadline_.passed(); }

  /// How long to wait for events at most.
  /// @param otherwise while the drain has not begun
  Duration wait_limit(Duration otherwise) const {
    return has_begun_ ? deadline_.left() : otherwise;
  }

 private:
  const DrainDeadline deadline_;
  bool is_asked_ = false;
  bool has_begun_ = false;
  [[no_unique_address]] OwnerThread owner_;
};

}  // namespace serverlab
