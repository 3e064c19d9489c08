#pragma once

// io_uring, as this project uses it: one ring a thread, created on that thread and used by no
// other; operations are submitted with the wait, one system call for both; received bytes come in
// buffers that belong to the ring. Wants Linux 6.1 or newer.

#include "base/clock.h"
#include "base/counters.h"

#include <liburing.h>
#include <memory>
#include <span>
#include <string>

namespace serverlab {

/// What hands submissions to the kernel.
enum class Submitter {
  caller,         // with the system call that waits
  kernel_thread,  // one that looks for them for a while, and then has to be woken (SQPOLL)
};

class Ring {
 public:
  /// @throws std::system_error if the kernel has no io_uring, or does not allow it
  explicit Ring(unsigned submissions, Submitter submitter = Submitter::caller);
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { ::io_uring_queue_exit(&ring_); }

  /// An empty submission to be prepared. It goes out with the next wait; those before it go out
  /// now if there is no room for it.
  io_uring_sqe* next();

  /// Hands over what has been prepared, and waits for nothing. A submission names its socket by a
  /// descriptor, and so has to go out before that is closed: the next socket may have the same one.
  void submit();

  /// Submits, waits for a completion until `limit` has passed (negative: for ever), and gives
  /// `take` all there are. `take` may call `next`.
  /// @return whether all that had been prepared was submitted, and what completed within that was
  ///   taken; without memory, or with too many completions, the rest comes with a later wait
  template <class Take>
  bool wait(Duration limit, Take take) {
    submit_and_wait(limit);
    const bool all = ::io_uring_sq_ready(&ring_) == 0 && !::io_uring_cq_has_overflow(&ring_);
    unsigned head = 0;
    unsigned count = 0;
    io_uring_cqe* completion = nullptr;  // liburing 2.15 takes its address
    io_uring_for_each_cqe(&ring_, head, completion) {
      ++count;
      take(*completion);
    }
    counters().events += count;
    ::io_uring_cq_advance(&ring_, count);
    return all;
  }

  io_uring* raw() { return &ring_; }

 private:
  void submit_and_wait(Duration limit);

  io_uring ring_{};
};

/// Why no ring can be made here, a sentence; empty if one can.
std::string lacking_ring();

/// Buffers that the kernel picks for received bytes. Each belongs to the kernel until a completion
/// names it, and again from the moment it is given back.
class ProvidedBuffers {
 public:
  static constexpr int group = 0;

  /// @param count a power of two, at most 32768
  ProvidedBuffers(Ring& ring, unsigned count, unsigned bytes_each);
  ProvidedBuffers(const ProvidedBuffers&) = delete;
  ProvidedBuffers& operator=(const ProvidedBuffers&) = delete;
  ~ProvidedBuffers();

  /// The bytes that a completion brought; it has IORING_CQE_F_BUFFER set.
  std::span<const std::byte> content(const io_uring_cqe& completion) const;

  void give_back(const io_uring_cqe& completion);

 private:
  // Buffers begin in different sets of a cache: of each, the first lines are the most used, and the
  // ring gives all of them in turn.
  static constexpr std::size_t stagger_bytes = 64;
  std::size_t stride_bytes() const { return bytes_each_ + stagger_bytes; }
  std::byte* buffer(unsigned id) const { return memory_.get() + id * stride_bytes(); }

  Ring& ring_;
  unsigned count_;
  unsigned bytes_each_;
  std::unique_ptr<std::byte[]> memory_;
  io_uring_buf_ring* buffers_;
};

}  // namespace serverlab
