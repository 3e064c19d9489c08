#pragma once

// The unanswered requests of one connection, oldest first: a ring of as many as the depth allows.

#include "base/clock.h"

#include <bit>
#include <cassert>
#include <cstdint>
#include <memory>

namespace serverlab {

struct Request {
  Instant intended;  // by the model
  Instant due;       // intended, and the connection had room for it
  Instant sent;
  std::uint8_t request_class = 0;  // index into the workload's classes
};

class InFlight {
 public:
  explicit InFlight(std::uint32_t depth) : mask_(std::bit_ceil(depth) - 1) {}

  std::uint32_t count() const { return next_ - oldest_; }
  bool empty() const { return next_ == oldest_; }
  Request& oldest() { return requests_[oldest_ & mask_]; }
  const Request& oldest() const { return requests_[oldest_ & mask_]; }

  /// The k-th youngest, 0 being the youngest.
  Request& youngest(std::uint32_t k) { return requests_[(next_ - 1 - k) & mask_]; }

  void push(Request request) {
    assert(count() <= mask_);
    if (!requests_) {  // a connection that only idles needs none
      requests_ = std::make_unique<Request[]>(mask_ + 1);
    }
    requests_[next_++ & mask_] = request;
  }

  void pop() { ++oldest_; }

  /// Releases the memory. Only while empty.
  void release() {
    assert(empty());
    requests_.reset();
  }

  void clear() { oldest_ = next_; }

 private:
  std::unique_ptr<Request[]> requests_;
  std::uint32_t mask_;
  std::uint32_t oldest_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace serverlab
