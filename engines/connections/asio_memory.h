#pragma once

// Memory for one operation of Asio at a time, so that to start it again cannot fail.

#include "engines/connections/asio_sockets.h"

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace serverlab {

class OperationMemory {
 public:
  void* take(std::size_t bytes) {
    if (bytes > room_.size() || std::exchange(is_taken_, true)) return ::operator new(bytes);
    return room_.data();
  }
  void give_back(void* memory) {
    if (memory != room_.data()) return ::operator delete(memory);
    is_taken_ = false;
  }

 private:
  alignas(std::max_align_t) std::array<std::byte, 512> room_{};
  bool is_taken_ = false;
};

/// What Asio asks a handler for. The context may keep an operation for longer than the server
/// lives, so the memory is shared.
template <class T>
class OperationAllocator {
 public:
  using value_type = T;

  explicit OperationAllocator(std::shared_ptr<OperationMemory> memory) :
      memory_(std::move(memory)) {}
  template <class U>
  OperationAllocator(const OperationAllocator<U>& other) noexcept : memory_(other.memory()) {}

  T* allocate(std::size_t count) { return static_cast<T*>(memory_->take(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) { memory_->give_back(memory); }

  const std::shared_ptr<OperationMemory>& memory() const { return memory_; }
  bool operator==(const OperationAllocator&) const = default;

 private:
  std::shared_ptr<OperationMemory> memory_;
};

/// A handler whose operation is in memory of its own.
template <class Handler>
class HandlerIn {
 public:
  using allocator_type = OperationAllocator<std::byte>;

  HandlerIn(std::shared_ptr<OperationMemory> memory, Handler handler) :
      memory_(std::move(memory)), handler_(std::move(handler)) {}

  allocator_type get_allocator() const noexcept { return allocator_type(memory_); }
  void operator()(boost::system::error_code error) { handler_(error); }

 private:
  std::shared_ptr<OperationMemory> memory_;
  Handler handler_;
};

}  // namespace serverlab
