#pragma once

// A stackless coroutine: its local variables are on the heap, in a frame that it leaves behind when
// it awaits, and finds again when it is resumed.

#include <coroutine>
#include <utility>

namespace serverlab {

/// Runs up to its first co_await when it is called. The Task owns the coroutine and destroys it,
/// wherever it is suspended. One thread at a time may use it.
class Task {
 public:
  struct promise_type {
    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { throw; }  // to the caller or the resumer
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  /// Continues after its co_await, up to the next one or the end.
  void resume() const { handle_.resume(); }
  bool done() const { return handle_.done(); }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit Task(Handle handle) : handle_(handle) {}

  Handle handle_;
};

}  // namespace serverlab
