#pragma once

// poll(2): the caller keeps the set, a dense array that the kernel scans whole at every wait.

#include "net/readiness.h"

#include <limits>
#include <poll.h>
#include <vector>

namespace serverlab {

class PollSet {
 public:
  static constexpr int descriptor_limit = std::numeric_limits<int>::max();

  PollSet();
  void add(int fd, Interest interest);
  void change(int fd, Interest interest);
  void remove(int fd);
  std::span<const Ready> wait(Duration limit);

 private:
  int room_for(int count);
  pollfd& entry(int fd) { return entries_[positions_[static_cast<std::size_t>(fd)]]; }

  std::vector<pollfd> entries_;
  std::vector<std::size_t> positions_;  // by descriptor: where its entry stands
  std::vector<Ready> ready_;
};
static_assert(Poller<PollSet>);

}  // namespace serverlab
