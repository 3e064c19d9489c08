#pragma once

// A stackful coroutine: it has a stack of its own, which stays as it is while the fiber is
// suspended. Boost switches the registers; stacks are pooled and have a guard page; the sanitizers
// are told of each switch.

#include "base/thread_contract.h"

#include <boost/context/detail/fcontext.hpp>
#include <exception>
#include <functional>
#include <span>
#include <vector>

namespace serverlab {

/// Memory for stacks, some of which is kept for later fibers. Below each is a guard page: a fiber
/// that needs more stack is stopped there and does not overwrite another's. One thread alone takes
/// stacks and runs the fibers on them.
class Stacks {
 public:
  using Stack = std::span<std::byte>;

  Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  ~Stacks();

  /// @throws std::bad_alloc if the system gives no more memory, or no more mappings
  Stack take();
  void give_back(Stack stack);

 private:
  std::vector<Stack> spare_;
  [[no_unique_address]] OwnerThread owner_;
};

/// Runs a function on a stack of its own, up to its first `suspend`.
class Fiber {
 public:
  /// @param run comes to its end when `suspend` returns false
  Fiber(Stacks& stacks, std::function<void(Fiber&)> run);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Lets the function come to its end, wherever it is.
  ~Fiber();

  /// Goes on behind its `suspend`, up to the next one or the end.
  /// @throws what the function throws, which is its end
  void resume();
  bool done() const { return done_; }

  /// Called by the function: goes on where the fiber has been made or resumed.
  /// @return whether the function is to go on, when it is resumed
  [[nodiscard]] bool suspend();

 private:
  /// Where one can go on, and what the sanitizers know about its stack.
  struct Place {
    boost::context::detail::fcontext_t context = nullptr;
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    void* fake_stack = nullptr;
    void* thread = nullptr;
  };
  void go_inside();
  static void enter(boost::context::detail::transfer_t arrival);
  static void leave(Place& from, const Place& to, bool for_ever);
  static void arrive(const Place& at, Place& from);

  Stacks& stacks_;
  const Stacks::Stack stack_;
  const std::function<void(Fiber&)> run_;
  Place inside_;
  Place outside_;
  std::exception_ptr thrown_;
  bool done_ = false;
  bool abandoned_ = false;
  [[no_unique_address]] OwnerThread owner_;
};

}  // namespace serverlab
