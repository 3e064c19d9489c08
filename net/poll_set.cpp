#include "net/poll_set.h"

#include "base/counters.h"
#include "base/reserve.h"
#include "base/syscall.h"

#include <algorithm>
#include <cerrno>
#include <new>

namespace serverlab {
namespace {

short to_events(Interest interest) {
  return static_cast<short>((interest.read ? POLLIN : 0) | (interest.write ? POLLOUT : 0));
}

}  // namespace

PollSet::PollSet() {
  constexpr std::size_t some = 64;
  ready_.reserve(some);
}

void PollSet::add(int fd, Interest interest) {
  if (positions_.size() <= static_cast<std::size_t>(fd))
    positions_.resize(static_cast<std::size_t>(fd) + 1);
  positions_[static_cast<std::size_t>(fd)] = entries_.size();
  entries_.push_back({.fd = fd, .events = to_events(interest), .revents = 0});
}

// Without interest the entry is negated, which poll(2) skips; otherwise a peer's hang-up would
// be reported at every wait.
void PollSet::change(int fd, Interest interest) {
  pollfd& changed = entry(fd);
  changed.events = to_events(interest);
  changed.fd = interest == Interest{} ? ~fd : fd;
}

void PollSet::remove(int fd) {
  pollfd& removed = entry(fd);
  const pollfd last = entries_.back();
  const int last_fd = last.fd < 0 ? ~last.fd : last.fd;
  positions_[static_cast<std::size_t>(last_fd)] = positions_[static_cast<std::size_t>(fd)];
  removed = last;
  entries_.pop_back();
}

std::span<const Ready> PollSet::wait(Duration limit) {
  ready_.clear();
  ++counters().waits;
  const timespec timeout = {.tv_sec = limit / std::chrono::seconds(1),
                            .tv_nsec = (limit % std::chrono::seconds(1)).count()};
  int left = ::ppoll(entries_.data(), entries_.size(),
                     limit < Duration::zero() ? nullptr : &timeout, nullptr);
  if (left < 0 && errno == EINTR) return {};
  check(left, "poll");
  counters().events += static_cast<std::uint64_t>(left);
  left = std::min(left, room_for(left));
  for (auto entry = entries_.begin(); left > 0; ++entry) {
    if (entry->revents == 0) continue;
    --left;
    const bool failed = (entry->revents & (POLLERR | POLLHUP)) != 0;
    ready_.push_back({.fd = entry->fd,
                      .readable = failed || (entry->revents & POLLIN) != 0,
                      .writable = failed || (entry->revents & POLLOUT) != 0});
  }
  return ready_;
}

// Without memory for all, the rest is told with the next wait: what is ready stays so.
int PollSet::room_for(int count) {
  try {
    reserve_room(ready_, static_cast<std::size_t>(count));
  } catch (const std::bad_alloc&) {
    return static_cast<int>(ready_.capacity());
  }
  return count;
}

}  // namespace serverlab
