#pragma once

// Which thread may call, asserted in debug and sanitizer builds as muduo's assertInLoopThread does.
// In a release build these classes are empty; as a member they are [[no_unique_address]].

#include "base/perturb.h"

#include <atomic>
#include <cassert>

namespace serverlab {

#ifdef NDEBUG

class OwnerThread {
 public:
  void assert_here() const {}
};

class OneAtATime {
 public:
  class Turn {
   public:
    explicit Turn(const OneAtATime&) {}
  };
};

#else

/// What belongs to one thread: the one that uses it first. It may be made by another one.
class OwnerThread {
 public:
  /// Asserts that the calling thread is the owner.
  void assert_here() const {
    const void* owner = nullptr;
    const bool is_owner_here = owner_.compare_exchange_strong(owner, here()) || owner == here();
    assert(is_owner_here);
  }

 private:
  /// An address that no other running thread has.
  static const void* here() {
    thread_local const char mark = 0;
    return &mark;
  }

  mutable std::atomic<const void*> owner_ = nullptr;
};

/// What any thread may use, but only one at a time.
class OneAtATime {
 public:
  /// Asserts that no other turn is being taken, for as long as this one is.
  class Turn {
   public:
    explicit Turn(const OneAtATime& of) : is_taken_(of.is_taken_) {
      const bool is_taken_already = is_taken_.exchange(true);
      assert(!is_taken_already);
      perturb();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      perturb();
      is_taken_ = false;
    }

   private:
    std::atomic<bool>& is_taken_;
  };

 private:
  mutable std::atomic<bool> is_taken_ = false;
};

#endif

}  // namespace serverlab
