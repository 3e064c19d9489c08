#pragma once

// epoll(7): the kernel keeps the set, a wait costs what is ready.

#include "base/owned_fd.h"
#include "net/readiness.h"

#include <array>
#include <limits>
#include <sys/epoll.h>

namespace serverlab {

/// When a wait tells of a descriptor.
enum class Trigger {
  level,     // while it is ready
  edge,      // when it has become ready, or more so
  one_shot,  // to one wait, once; then no more until `change`
};

class Epoll {
 public:
  static constexpr int descriptor_limit = std::numeric_limits<int>::max();

  Epoll();
  void add(int fd, Interest interest, Trigger trigger = Trigger::level);
  void change(int fd, Interest interest, Trigger trigger = Trigger::level);
  void remove(int fd);
  std::span<const Ready> wait(Duration limit);

  /// Waits for one event, for ever. Any number of threads may wait so in the same set.
  Ready wait_for_one() const;

 private:
  void control(int operation, int fd, std::uint32_t events, const char* name) const;

  OwnedFd fd_;
  static constexpr std::size_t batch_max = 256;
  std::array<epoll_event, batch_max> events_{};
  std::array<Ready, batch_max> ready_{};
};
static_assert(Poller<Epoll>);

}  // namespace serverlab
