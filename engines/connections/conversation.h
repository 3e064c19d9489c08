#pragma once

// A session and the input it has been offered but not consumed. No socket, no waiting: every
// engine drives one of these per connection.

#include "base/thread_contract.h"
#include "engines/connections/conversation_record.h"
#include "net/stop_signal.h"
#include "services/service.h"

namespace serverlab {

class Conversation {
 public:
  static constexpr int no_socket = -1;

  /// @param fd the connection's, which stays open as long as this, or `no_socket`
  /// @param stop outlives this
  Conversation(int fd, AnySession session, const StopSignal& stop) :
      session_(std::move(session)), record_(fd), stop_(stop) {}

  /// Offers the session what has arrived, after what it left over earlier; its replies are appended
  /// to `output`. After a stop it closes once the session has processed what was sent before. One
  /// thread at a time may call it, not always the same one.
  Next advance(ByteView arrived, Bytes& output);

  /// Whether its client still waits for a reply. Call it from any thread, or in a signal handler.
  bool is_unanswered() const { return record_.is_unanswered(); }

 private:
  Progress offer(ByteView arrived, Bytes& output);
  bool has_part_of_request(std::uint32_t answered, ByteView arrived) const;
  bool has_heard_enough();

  // After a stop, how often to look how much has come. More than once, since what was sent before
  // the stop may still be on its way through the kernel.
  static constexpr std::int8_t looks_after_stop = 3;

  AnySession session_;
  Bytes left_over_;  // no memory while every chunk is consumed whole
  ConversationRecord record_;
  [[no_unique_address]] OneAtATime one_at_a_time_;
  const StopSignal& stop_;
  std::uint32_t arrived_bytes_ = 0;  // at the last look
  std::int8_t looks_left_ = looks_after_stop;
};

}  // namespace serverlab
