#include "net/epoll.h"

#include "base/counters.h"
#include "base/syscall.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace serverlab {
namespace {

// epoll_wait counts milliseconds; rounded up, so that no deadline is polled for in a busy loop.
int to_milliseconds(Duration limit) {
  if (limit < Duration::zero()) return -1;
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(limit).count());
}

// EPOLLRDHUP is reported once: a loop has to remember it, because no further event follows a
// receive that got less than it had room for.
std::uint32_t to_events(Interest interest, Trigger trigger) {
  const std::uint32_t events = (interest.read ? EPOLLIN : 0U) | (interest.write ? EPOLLOUT : 0U);
  switch (trigger) {
    case Trigger::level: return events;
    case Trigger::edge: return events | EPOLLRDHUP | EPOLLPRI | EPOLLET;
    case Trigger::one_shot: return events | EPOLLONESHOT;
  }
  std::unreachable();
}

Ready to_ready(const epoll_event& event) {
  const bool failed = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  return {.fd = event.data.fd,
          .readable = failed || (event.events & EPOLLIN) != 0,
          .writable = failed || (event.events & EPOLLOUT) != 0,
          .ended = failed || (event.events & EPOLLRDHUP) != 0,
          .urgent = (event.events & EPOLLPRI) != 0};
}

}  // namespace

Epoll::Epoll() : fd_(check(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {}

void Epoll::add(int fd, Interest interest, Trigger trigger) {
  control(EPOLL_CTL_ADD, fd, to_events(interest, trigger), "epoll_ctl ADD");
}

void Epoll::change(int fd, Interest interest, Trigger trigger) {
  control(EPOLL_CTL_MOD, fd, to_events(interest, trigger), "epoll_ctl MOD");
}

void Epoll::remove(int fd) { control(EPOLL_CTL_DEL, fd, 0, "epoll_ctl DEL"); }

std::span<const Ready> Epoll::wait(Duration limit) {
  ++counters().waits;
  const int count = ::epoll_wait(fd_.get(), events_.data(), static_cast<int>(events_.size()),
                                 to_milliseconds(limit));
  if (count < 0 && errno == EINTR) return {};
  const auto size = static_cast<std::size_t>(check(count, "epoll_wait"));
  counters().events += size;
  std::transform(events_.begin(), events_.begin() + count, ready_.begin(), to_ready);
  return std::span(ready_).first(size);
}

Ready Epoll::wait_for_one() const {
  epoll_event event{};
  int count = 0;
  do {
    ++counters().waits;
    count = ::epoll_wait(fd_.get(), &event, 1, -1);
  } while (count < 0 && errno == EINTR);
  check(count, "epoll_wait");
  ++counters().events;
  return to_ready(event);
}

void Epoll::control(int operation, int fd, std::uint32_t events, const char* name) const {
  ++counters().changes;
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  check(::epoll_ctl(fd_.get(), operation, fd, &event), name);
}

}  // namespace serverlab
