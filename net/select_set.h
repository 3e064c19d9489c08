#pragma once

// select(2): the caller keeps two bit sets, of what is to be read and what is to be written. A wait
// overwrites its own copies of them, and the kernel scans them up to the highest descriptor.

#include "net/readiness.h"

#include <array>
#include <sys/select.h>

namespace serverlab {

class SelectSet {
 public:
  /// A bit of higher number would lie in the memory behind the set.
  static constexpr int descriptor_limit = FD_SETSIZE;

  /// @throws std::system_error if the descriptor is not below the limit
  void add(int fd, Interest interest);
  void change(int fd, Interest interest);
  void remove(int fd) { change(fd, {}); }
  std::span<const Ready> wait(Duration limit);

 private:
  fd_set to_read_{};
  fd_set to_write_{};
  std::array<Ready, FD_SETSIZE> ready_{};
  int end_ = 0;  // one more than the highest descriptor in either
};
static_assert(Poller<SelectSet>);

}  // namespace serverlab
