#pragma once

// epoll(7), level-triggered unless asked otherwise: the kernel keeps the set, a wait costs what
// is ready.

#include "base/owned_fd.h"
#include "net/readiness.h"

#include <array>
#include <limits>
#include <sys/epoll.h>

namespace serverlab {

class Epoll {
 public:
  static constexpr int descriptor_limit = std::numeric_limits<int>::max();

  Epoll();
  void add(int fd, Interest interest);
  void change(int fd, Interest interest);
  void remove(int fd);
  void wait(std::vector<Ready>& ready, Duration limit);

 private:
  void control(int operation, int fd, Interest interest, const char* name);

  OwnedFd fd_;
  std::array<epoll_event, 256> events_{};
};
static_assert(Poller<Epoll>);

}  // namespace serverlab
