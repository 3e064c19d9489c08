#pragma once

// The terms on which every engine serves. They are the same for all; the few settings that only
// some engines know are named in the rows of those engines.

#include "base/settings.h"
#include "net/listener.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace serverlab {

enum class Deal { round_robin, least };
enum class QueueOrder { fifo, lifo, priority };

/// Which thread closes a connection that has ended: its own at once, or the one that accepts, when
/// it wakes for the next client.
enum class CloseBy { thread, main };

struct ServeOptions {
  Address listen;
  ListenOptions listening;
  int accept_batch = 64;  // connections per wake-up, so that accepting never starves serving
  std::size_t read_buffer_bytes = 64 << 10;
  std::size_t high_water_bytes = 256 << 10;        // of unsent output: above it nothing is read
  Duration drain_limit = std::chrono::seconds(5);  // after a stop; then what is left is dropped
  Duration idle_timeout{};                         // zero: none, as of the next
  Duration request_timeout{};
  int max_connections = 0;  // open at a time, more wait in the accept queue; 0: any number
  int threads = 1;

  // Settings of single engines.
  Duration poll_timeout{};        // above zero: how often to look for returned connections, unwoken
  Deal deal = Deal::round_robin;  // which loop gets a connection: the next, that with the fewest
  Duration spin = std::chrono::microseconds(50);  // without an event, before the loop sleeps
  QueueOrder queue = QueueOrder::fifo;
  std::size_t queue_limit = 0;  // jobs that wait for the pool: above it nothing is read; 0: none
  int jobs_per_request = 1;     // 2: one job receives and runs the session, a second one sends
  CloseBy close_by = CloseBy::thread;
  bool uring_sqpoll = false;  // a thread of the kernel takes submissions, not the waiting call

  /// Called when every socket and ring is there that is not accepted from a peer: the process makes
  /// no other from now on. `announce` does so itself; an engine that forks before does it first.
  std::function<void()> confine;

  /// Called once, when connections are being accepted.
  std::function<void(const Address&)> announce;

  /// Called with a sentence after an error from which the engine recovered.
  std::function<void(std::string_view)> notify;

  /// How many connections more may be open, of which there are so many.
  int room_beside(int open) const {
    return max_connections == 0 ? std::numeric_limits<int>::max()
                                : std::max(0, max_connections - open);
  }
};

/// The settings that every engine honours.
std::span<const Setting> serve_settings();

/// The settings that only those engines honour whose catalogue row names them.
std::span<const Setting> engine_settings();

/// @param cpus how many CPUs the server may run on: as many threads, where no number is given
/// @throws BadSetting
ServeOptions serve_options(const Settings& settings, int cpus);

}  // namespace serverlab
