#include "net/wake_signal.h"

#include "base/counters.h"
#include "base/syscall.h"

#include <cstdint>
#include <sys/eventfd.h>

namespace serverlab {

WakeSignal::WakeSignal() : fd_(check(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")) {}

void WakeSignal::wake() const {
  ++counters().wakes;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(fd(), &one, sizeof one);
}

void WakeSignal::clear() const {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(fd(), &count, sizeof count);
}

}  // namespace serverlab
