#pragma once

// Ends connections whose peers keep them for too long, for every engine alike.
//
//   idle       nothing comes and nothing is taken for --idle-timeout, while no session is at work;
//              while output waits, what comes does not count
//   request    a request has begun, all that came of it is read, and it is not whole after
//              --request-timeout
//   lingering  its session has closed it, and its peer keeps it open: always, after 5 s
//
// What an engine would have to ask in each turn, a timer's signal asks now and then: the records of
// the conversations say what their sessions do, the kernel says what came and what was taken. A
// connection is ended by shutting both directions down; its engine then meets the end of the
// stream, or a failed send, as from any peer that leaves. So no engine pays for it in a turn, and a
// server has no thread for it (docs/decisions/0013 has what a thread costs).

#include "engines/connections/conversation_record.h"
#include "engines/serve_options.h"
#include "net/signal_timer.h"

#include <atomic>

namespace serverlab {

class PeerTimeouts {
 public:
  /// After that a connection is ended whose session has closed it. As nginx's lingering_timeout.
  static constexpr Duration lingering = std::chrono::seconds(5);

  /// Looks from now on. One in a process at a time, to be made and destroyed by its first thread.
  /// A process that it forks has none.
  /// @throws std::system_error if the user may have no more signals pending (ulimit -i)
  explicit PeerTimeouts(const ServeOptions& options);
  PeerTimeouts(const PeerTimeouts&) = delete;
  PeerTimeouts& operator=(const PeerTimeouts&) = delete;
  ~PeerTimeouts();

 private:
  static void handle_signal(int number);
  static void ensure_look();

  void look();
  void look_later(Duration after);
  bool has_timeout() const { return idle_ > Duration::zero() || request_ > Duration::zero(); }
  bool is_overdue(ConversationRecord& record, Instant now) const;

  const Duration idle_;     // zero: none
  const Duration request_;  // zero: none
  const Duration interval_;
  SignalTimer timer_;
  std::atomic<bool> will_look_ = false;
};

}  // namespace serverlab
