#pragma once

// What a session was offered and said so far, and the list of all that are open in this process:
// so that another thread, or a signal handler, can ask while a session is at work.

#include "base/clock.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace serverlab {

/// For how long a figure has been the same.
struct Standstill {
  std::uint64_t figure = 0;
  Instant since = Instant::max();

  /// @return for how long it has been `now_figure`, as far as it was looked at
  Duration look(std::uint64_t now_figure, Instant now) {
    if (since == Instant::max() || figure != now_figure) *this = {now_figure, now};
    return now - since;
  }
};

/// One thread at a time writes it.
class ConversationRecord {
 public:
  /// @param fd the connection's, open as long as the record is; negative: there is none
  explicit ConversationRecord(int fd);
  ConversationRecord(const ConversationRecord&) = delete;
  ConversationRecord& operator=(const ConversationRecord&) = delete;
  ~ConversationRecord();

  /// The session is offered so many bytes.
  void begin(std::size_t offered_bytes);

  /// What a session has done when it returns.
  struct Turn {
    std::size_t said_bytes = 0;
    std::uint32_t requests = 0;        // that it has answered
    bool has_part_of_request = false;  // which is not all there
    bool has_more_to_say = false;
  };
  void end(const Turn& turn);

  /// It takes no more input: what still comes is not asked of it.
  void close();

  int fd() const { return fd_; }
  bool is_closed() const { return is_closed_.load(std::memory_order_relaxed); }
  bool is_at_work() const { return is_at_work_.load(std::memory_order_relaxed); }
  bool has_part_of_request() const { return has_part_.load(std::memory_order_relaxed); }
  std::uint32_t requests() const { return requests_.load(std::memory_order_relaxed); }
  std::uint32_t said_bytes() const { return said_.load(std::memory_order_relaxed); }
  std::uint32_t offered_bytes() const { return offered_.load(std::memory_order_relaxed); }

  bool is_unanswered() const;

  /// It stays unanswered if it is now. From any thread.
  void settle() { was_unanswered_.store(is_unanswered(), std::memory_order_relaxed); }

  /// How many bytes have come from the client, modulo 2^32.
  std::uint32_t arrived_bytes() const;

  /// Whether the session has been offered less than the first `bytes`, modulo 2^32.
  bool lacks(std::uint32_t bytes) const {
    return static_cast<std::int32_t>(offered_bytes() - bytes) < 0;
  }

  /// What peer_timeouts.h has seen of it; guarded by the list's mutex.
  struct Seen {
    Standstill since_close, of_request, of_peer;
  };
  Seen& seen() { return seen_; }

 private:
  using Bytes32 = std::atomic<std::uint32_t>;  // modulo 2^32: only differences count

  const int fd_;
  Bytes32 offered_ = 0;
  Bytes32 said_ = 0;
  std::atomic<std::uint32_t> requests_ = 0;  // modulo 2^32
  std::atomic<bool> is_at_work_ = false;
  std::atomic<bool> has_more_to_say_ = false;
  std::atomic<bool> has_part_ = false;
  std::atomic<bool> is_closed_ = false;
  std::atomic<bool> was_unanswered_ = false;
  Seen seen_;
};

/// Those of this process.
struct OpenConversations {
  std::mutex mutex;
  std::vector<ConversationRecord*> by_fd;  // guarded by mutex
  std::atomic<int> count = 0;
  std::mutex admitting;                         // admitting() in accepting.h
  std::atomic<bool> counts_unanswered = false;  // each that ends unanswered (unanswered.h)
  std::atomic<void (*)()> when_one_opens = nullptr;
  std::atomic<void (*)()> when_one_closes = nullptr;

  /// Under the mutex: none if there is no conversation.
  ConversationRecord* at(int fd) const {
    const auto slot = static_cast<std::size_t>(fd);
    return slot < by_fd.size() ? by_fd[slot] : nullptr;
  }
};

OpenConversations& open_conversations();

}  // namespace serverlab
