#pragma once

// Bytes that a connection seldom has. An empty one is a pointer.

#include "base/bytes.h"

#include <memory>

namespace serverlab {

class RareBytes {
 public:
  bool empty() const { return !held_ || held_->empty(); }
  ByteView view() const { return held_ ? held_->view() : ByteView(); }

  void append(ByteView bytes) {
    if (bytes.empty()) return;
    if (!held_) held_ = std::make_unique<Bytes>();
    held_->append(bytes);
  }

  /// Drops `size` of the bytes that there are.
  void consume(std::size_t size) { held_->consume(size); }

  /// Empties, gives the memory back, and returns what there was.
  Bytes take() {
    Bytes taken = held_ ? std::move(*held_) : Bytes();
    release();
    return taken;
  }

  void release() { held_.reset(); }

 private:
  std::unique_ptr<Bytes> held_;
};

}  // namespace serverlab
