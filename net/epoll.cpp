#include "net/epoll.h"

#include "base/counters.h"
#include "base/syscall.h"

#include <cerrno>
#include <span>

namespace serverlab {
namespace {

// epoll_wait counts milliseconds; rounded up, so that no deadline is polled for in a busy loop.
int to_milliseconds(Duration limit) {
  if (limit < Duration::zero()) return -1;
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(limit).count());
}

}  // namespace

Epoll::Epoll() : fd_(check(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {}

void Epoll::add(int fd, Interest interest) {
  control(EPOLL_CTL_ADD, fd, interest, "epoll_ctl ADD");
}

void Epoll::change(int fd, Interest interest) {
  control(EPOLL_CTL_MOD, fd, interest, "epoll_ctl MOD");
}

void Epoll::remove(int fd) { control(EPOLL_CTL_DEL, fd, {}, "epoll_ctl DEL"); }

void Epoll::wait(std::vector<Ready>& ready, Duration limit) {
  ready.clear();
  ++counters().waits;
  const int count = ::epoll_wait(fd_.get(), events_.data(), static_cast<int>(events_.size()),
                                 to_milliseconds(limit));
  if (count < 0 && errno == EINTR) return;
  check(count, "epoll_wait");
  counters().events += static_cast<std::uint64_t>(count);
  for (const epoll_event& event : std::span(events_.data(), static_cast<std::size_t>(count))) {
    const bool failed = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
    ready.push_back({.fd = event.data.fd,
                     .readable = failed || (event.events & EPOLLIN) != 0,
                     .writable = failed || (event.events & EPOLLOUT) != 0});
  }
}

void Epoll::control(int operation, int fd, Interest interest, const char* name) {
  ++counters().changes;
  epoll_event event{};
  event.events = (interest.read ? EPOLLIN : 0U) | (interest.write ? EPOLLOUT : 0U);
  event.data.fd = fd;
  check(::epoll_ctl(fd_.get(), operation, fd, &event), name);
}

}  // namespace serverlab
