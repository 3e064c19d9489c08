#pragma once

// What the readiness mechanisms (poll, epoll) have in common: the question, the answer, the verbs.

#include "base/clock.h"

#include <concepts>
#include <span>

namespace serverlab {

struct Interest {
  bool read = false;
  bool write = false;
  bool operator==(const Interest&) const = default;
};

/// A descriptor that can be read or written now. A failed one is whatever is of interest at least,
/// so that the next call reports the failure.
struct Ready {
  int fd = -1;
  bool readable = false;
  bool writable = false;
  bool ended = false;   // Trigger::edge only: it is readable up to its end, which will not be told
  bool urgent = false;  // Trigger::edge only: a receive may have stopped before an urgent byte
};

constexpr Duration wait_forever = Duration(-1);

template <class P>
concept Poller = requires(P poller, int fd, Interest interest, Duration limit) {
  { P::descriptor_limit } -> std::convertible_to<int>;  // it holds those below
  poller.add(fd, interest);
  poller.change(fd, interest);  // of a descriptor that was added
  poller.remove(fd);
  // Empty when the limit has passed; it is the poller's, until the next wait. Allocates nothing
  // that it could not do without.
  { poller.wait(limit) } -> std::same_as<std::span<const Ready>>;
};

}  // namespace serverlab
