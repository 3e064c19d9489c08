#include "net/select_set.h"

#include "base/counters.h"
#include "base/syscall.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <tuple>

namespace serverlab {
namespace {

void put(int fd, fd_set& set, bool is_in) { is_in ? FD_SET(fd, &set) : FD_CLR(fd, &set); }

}  // namespace

void SelectSet::add(int fd, Interest interest) {
  if (fd >= descriptor_limit)
    throw std::system_error(EBADF, std::generic_category(), "select of descriptor 1024 or above");
  change(fd, interest);
}

void SelectSet::change(int fd, Interest interest) {
  assert(fd < descriptor_limit);
  put(fd, to_read_, interest.read);
  put(fd, to_write_, interest.write);
  if (interest != Interest{}) end_ = std::max(end_, fd + 1);
  while (end_ > 0 && !FD_ISSET(end_ - 1, &to_read_) && !FD_ISSET(end_ - 1, &to_write_)) --end_;
}

std::span<const Ready> SelectSet::wait(Duration limit) {
  ++counters().waits;
  fd_set readable = to_read_;
  fd_set writable = to_write_;
  const timespec timeout = {.tv_sec = limit / std::chrono::seconds(1),
                            .tv_nsec = (limit % std::chrono::seconds(1)).count()};
  int left = ::pselect(end_, &readable, &writable, nullptr,
                       limit < Duration::zero() ? nullptr : &timeout, nullptr);
  if (left < 0 && errno == EINTR) {
    // The thread sanitizer runs a signal's handler at the next call that it knows. It knows the
    // clock, and it does not know select: without this the handler might never run.
    std::ignore = now();
    return {};
  }
  check(left, "select");
  std::size_t count = 0;
  for (int fd = 0; left > 0; ++fd) {  // it counts bits, and a descriptor may have one in each set
    const Ready found = {.fd = fd,
                         .readable = FD_ISSET(fd, &readable) != 0,
                         .writable = FD_ISSET(fd, &writable) != 0};
    left -= int{found.readable} + int{found.writable};
    if (found.readable || found.writable) ready_[count++] = found;
  }
  counters().events += count;
  return std::span(ready_).first(count);
}

}  // namespace serverlab
