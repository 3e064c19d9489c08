#pragma once

// The end of a server that the drain limit does not end in order, since a session is still at work:
// an engine cannot interrupt what runs on its threads. SIGALRM can. Its handler runs on the first
// thread, on which a session may be at work, so that it neither allocates memory nor waits for a
// lock.

#include "engines/engine.h"

namespace serverlab {

/// One at a time. To be made and destroyed by the first thread of the process.
class LastResort {
 public:
  /// How long the engine may take after the drain limit to end in order.
  static constexpr Duration grace = std::chrono::milliseconds(500);

  /// From now on a stop ends the process after the drain limit and the grace, with a summary of
  /// what was done till then.
  /// @param stop has not been raised
  LastResort(const Engine& engine, StopSignal& stop, Duration drain_limit);
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;

  /// The engine has ended.
  ~LastResort();

 private:
  static void handle_alarm(int number);
  void end() const;

  const Engine& engine_;
  const StopSignal& stop_;
  const Duration drain_limit_;
};

}  // namespace serverlab
