#pragma once

// Which connections the drain limit ends unanswered, for every engine alike.
//
// A connection is unanswered if bytes have come from its client that its session was not offered,
// if its session is at work or has more to say, or if something that it said has not left the
// server. What came and what left, the kernel knows (tcp_totals), wherever an engine keeps it; the
// rest is in the record of its conversation. So it can be asked by another thread, or by a signal
// handler, while a session is at work.

#include "base/counters.h"

#include <atomic>
#include <cstddef>
#include <optional>

namespace serverlab {

/// What a session was offered and said so far. One thread at a time writes it.
class ConversationRecord {
 public:
  /// @param fd the connection's, open as long as the record is; negative: there is none
  explicit ConversationRecord(int fd);
  ConversationRecord(const ConversationRecord&) = delete;
  ConversationRecord& operator=(const ConversationRecord&) = delete;
  ~ConversationRecord();

  /// The session is offered so many bytes.
  void begin(std::size_t offered_bytes);

  /// It has returned.
  void end(std::size_t said_bytes, bool has_more_to_say);

  /// It takes no more input: what still comes is not asked of it.
  void close() { is_closed_.store(true, std::memory_order_relaxed); }

  bool is_unanswered() const;

  /// It stays unanswered if it is now. From any thread.
  void settle() { was_unanswered_.store(is_unanswered(), std::memory_order_relaxed); }

  /// How many bytes have come from the client, modulo 2^32.
  std::uint32_t arrived_bytes() const;

  /// Whether the session has been offered less than the first `bytes`, modulo 2^32.
  bool lacks(std::uint32_t bytes) const {
    return static_cast<std::int32_t>(offered_.load(std::memory_order_relaxed) - bytes) < 0;
  }

 private:
  using Bytes32 = std::atomic<std::uint32_t>;  // modulo 2^32: only differences count

  const int fd_;
  Bytes32 offered_ = 0;
  Bytes32 said_ = 0;
  std::atomic<bool> is_at_work_ = false;
  std::atomic<bool> is_closed_ = false;
  std::atomic<bool> was_unanswered_ = false;
};

/// From now on each connection that ends unanswered is counted (Counters::unanswered).
void count_unanswered();

/// Shuts both directions of a connection down, on which a thread or the kernel is still at work.
/// After the drain limit it first decides whether the connection is unanswered: if its peer sends
/// on, the kernel resets it, and no longer says what came and what left. From any thread.
void end_both_ways(int fd);

/// Counts a connection that ends without a session, if its client has asked something.
void count_if_unanswered(int fd);

/// What all threads counted, with the connections that are open and unanswered now, on which
/// nothing is sent any more: for a signal handler that ends a server without ending them.
/// @return nothing if a thread, such as the interrupted one, has a lock
std::optional<Counters> try_counters_total_now();

}  // namespace serverlab
