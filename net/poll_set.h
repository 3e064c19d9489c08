#pragma once

// poll(2): the caller keeps the set, a dense array that the kernel scans whole at every wait.

#include "net/readiness.h"

#include <limits>
#include <poll.h>

namespace serverlab {

class PollSet {
 public:
  static constexpr int descriptor_limit = std::numeric_limits<int>::max();

  void add(int fd, Interest interest);
  void change(int fd, Interest interest);
  void remove(int fd);
  void wait(std::vector<Ready>& ready, Duration limit);

 private:
  pollfd& entry(int fd) { return entries_[positions_[static_cast<std::size_t>(fd)]]; }

  std::vector<pollfd> entries_;
  std::vector<std::size_t> positions_;  // by descriptor: where its entry stands
};
static_assert(Poller<PollSet>);

}  // namespace serverlab
