#include "net/stop_signal.h"

#include "base/syscall.h"

#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>

namespace serverlab {
namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a handler knows no other way
const StopSignal* on_termination = nullptr;

void handle_termination(int number) {
  const int interrupted_call = errno;
  ::signal(number, SIG_DFL);  // before the stop shows: a second signal ends the process
  on_termination->raise();
  errno = interrupted_call;
}

}  // namespace

StopSignal::StopSignal() : fd_(check(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {}

void StopSignal::raise() const noexcept {
  std::int64_t unset = never;
  const bool is_first =
      raised_at_ns_.compare_exchange_strong(unset, now().time_since_epoch().count());
  if (is_first && alarm_) alarm_->set(alarm_delay_);
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(fd(), &one, sizeof one);
}

bool StopSignal::wait(Duration limit) const {
  pollfd entry = {.fd = fd(), .events = POLLIN, .revents = 0};
  const int limit_ms = static_cast<int>(limit / std::chrono::milliseconds(1));
  return ::poll(&entry, 1, limit < Duration::zero() ? -1 : limit_ms) > 0;
}

void StopSignal::raise_on_termination() {
  assert(on_termination == nullptr);
#ifdef __SANITIZE_THREAD__
  static_cast<void>(raised());  // gcc 12's loses a signal that comes during the first blocking call
#endif
  on_termination = this;
  struct sigaction action{};
  action.sa_handler = handle_termination;
  action.sa_flags = SA_RESTART;
  check(::sigaction(SIGTERM, &action, nullptr), "sigaction SIGTERM");
  check(::sigaction(SIGINT, &action, nullptr), "sigaction SIGINT");
}

void StopSignal::alarm_after_raise(Duration delay) {
  assert(!raised());
  alarm_.emplace(SIGALRM);
  alarm_delay_ = delay;
}

}  // namespace serverlab
