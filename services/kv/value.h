#pragma once

// What a key has. A large value is in memory of its own, so that a session can send it piece by
// piece, whatever becomes of the key meanwhile.

#include "services/capacity.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace serverlab::kv {

/// Its methods are called with the shard locked. A copy of a large one is the same memory.
class Value {
 public:
  static constexpr std::size_t large_bytes_min = 64 << 10;

  Value() = default;
  explicit Value(std::string bytes) {
    if (is_large(bytes.size())) {
      large_ = std::make_shared<Large>(std::move(bytes));
    } else {
      small_.swap(bytes);  // to move a short one would keep the room of the old one
    }
  }

  std::string_view view() const { return bytes(); }
  std::size_t size() const { return bytes().size(); }
  std::size_t capacity() const { return bytes().capacity(); }

  /// Whether its bytes can become so many where they are.
  bool has_room(std::size_t size) const {
    return size <= capacity() && (large_ != nullptr || !is_large(size));
  }

  /// Changes a small one where it is; there has to be room.
  void assign(std::string_view bytes) { small_ = bytes; }
  /// Appends where it is; there has to be room. What is there stays, for those that send it.
  void append(std::string_view tail) { (large_ ? large_->bytes : small_) += tail; }

  /// Bytes that stay as they are while `memory` is held; none of a small value.
  struct Held {
    std::shared_ptr<const void> memory;
    std::string_view bytes;
  };
  Held hold() const { return {large_, large_ ? std::string_view(large_->bytes) : ""}; }
  bool is_large() const { return large_ != nullptr; }

  /// Whether others hold its memory.
  bool is_held() const { return large_.use_count() > 1; }
  /// Of a value that is held: the capacity gets its bytes back when the last one has let it go.
  void release_later(std::shared_ptr<Capacity> capacity) { large_->counted = std::move(capacity); }

  void swap(Value& other) noexcept {
    small_.swap(other.small_);
    large_.swap(other.large_);
  }

 private:
  struct Large {
    explicit Large(std::string of) : bytes(std::move(of)) {}
    Large(const Large&) = delete;
    Large& operator=(const Large&) = delete;
    ~Large() {
      if (counted) counted->release(bytes.capacity());
    }
    std::string bytes;
    std::shared_ptr<Capacity> counted;  // none while a key has it, which counts it
  };

  static bool is_large(std::size_t size) { return size >= large_bytes_min; }
  const std::string& bytes() const { return large_ ? large_->bytes : small_; }

  std::string small_;
  std::shared_ptr<Large> large_;  // then the other is empty
};

}  // namespace serverlab::kv
