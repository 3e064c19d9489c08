#pragma once

// How much memory the entries of a store may take. It is reserved before it is taken, so that any
// number of threads together never hold more.

#include <atomic>
#include <cstdint>

namespace serverlab {

/// Any thread.
class Capacity {
 public:
  explicit Capacity(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  /// @return false, and nothing is reserved, if so much is not left
  bool reserve(std::uint64_t bytes) {
    std::uint64_t held = held_bytes_.load(std::memory_order_relaxed);
    do {
      if (bytes > bytes_max_ - held) return false;
    } while (!held_bytes_.compare_exchange_weak(held, held + bytes, std::memory_order_relaxed));
    return true;
  }

  void release(std::uint64_t bytes) { held_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

  std::uint64_t held_bytes() const { return held_bytes_.load(std::memory_order_relaxed); }

 private:
  std::uint64_t bytes_max_;
  std::atomic<std::uint64_t> held_bytes_ = 0;
};

/// Bytes that are reserved and not taken yet. What is left is released in the end, also by an
/// exception.
class Reservation {
 public:
  explicit Reservation(Capacity& capacity) : capacity_(capacity) {}
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() {
    if (bytes_ > 0) capacity_.release(bytes_);
  }

  /// Reserves more, if need be, so that there are so many.
  /// @return false if the capacity has no room for them
  bool reach(std::uint64_t bytes) {
    if (bytes <= bytes_) return true;
    if (!capacity_.reserve(bytes - bytes_)) return false;
    bytes_ = bytes;
    return true;
  }

  /// So many of them are held by an entry from now on, which releases them.
  void take(std::uint64_t bytes) { bytes_ -= bytes; }

 private:
  Capacity& capacity_;
  std::uint64_t bytes_ = 0;
};

}  // namespace serverlab
