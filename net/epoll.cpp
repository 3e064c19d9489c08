#include "net/epoll.h"

#include "base/counters.h"
#include "base/syscall.h"

#include <cerrno>
#include <span>
#include <utility>

namespace serverlab {
namespace {

// epoll_wait counts milliseconds; rounded up, so that no deadline is polled for in a busy loop.
int to_milliseconds(Duration limit) {
  if (limit < Duration::zero()) return -1;
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(limit).count());
}

// An edge is told once, so that whoever knows that the stream has ended must not wait to be told so
// after a receive that got less than it had room for.
std::uint32_t to_events(Interest interest, Trigger trigger) {
  const std::uint32_t events = (interest.read ? EPOLLIN : 0U) | (interest.write ? EPOLLOUT : 0U);
  switch (trigger) {
    case Trigger::level: return events;
    case Trigger::edge: return events | EPOLLRDHUP | EPOLLET;
    case Trigger::one_shot: return events | EPOLLONESHOT;
  }
  std::unreachable();
}

Ready to_ready(const epoll_event& event) {
  const bool failed = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  return {.fd = event.data.fd,
          .readable = failed || (event.events & EPOLLIN) != 0,
          .writable = failed || (event.events & EPOLLOUT) != 0,
          .ended = failed || (event.events & EPOLLRDHUP) != 0};
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

void Epoll::wait(std::vector<Ready>& ready, Duration limit) {
  ready.clear();
  ++counters().waits;
  const int count = ::epoll_wait(fd_.get(), events_.data(), static_cast<int>(events_.size()),
                                 to_milliseconds(limit));
  if (count < 0 && errno == EINTR) return;
  check(count, "epoll_wait");
  counters().events += static_cast<std::uint64_t>(count);
  for (const epoll_event& event : std::span(events_.data(), static_cast<std::size_t>(count)))
    ready.push_back(to_ready(event));
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
