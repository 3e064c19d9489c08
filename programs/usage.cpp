#include "programs/usage.h"

#include "base/syscall.h"

#include <csignal>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace serverlab {
namespace {

// A pipe of the usual 64 KiB keeps room for what the program says later.
constexpr int unread_max_bytes = 16 << 10;

// A reader that leaves what it has unread waits for no more, and a write that blocks would stop the
// thread that the signal came to. A terminal and a file have no such count.
bool is_read(int fd) {
  pollfd writable = {.fd = fd, .events = POLLOUT, .revents = 0};
  int unread_bytes = 0;
  return ::poll(&writable, 1, 0) > 0 &&
         (::ioctl(fd, FIONREAD, &unread_bytes) < 0 || unread_bytes <= unread_max_bytes);
}

// Calls only what a signal handler may: nothing here locks or allocates. One write puts the whole
// line between two others, as each of those is written by one call, too.
void report_usage(int) {
  const int interrupted_call = errno;
  rusage own{};
  rusage children{};
  ::getrusage(RUSAGE_SELF, &own);
  ::getrusage(RUSAGE_CHILDREN, &children);
  char line[160];
  const auto end =
      fmt::format_to_n(line, sizeof line,
                       R"({{"event":"usage","switches":{{"voluntary":{},"involuntary":{}}}}})"
                       "\n",
                       own.ru_nvcsw + children.ru_nvcsw, own.ru_nivcsw + children.ru_nivcsw);
  if (is_read(STDOUT_FILENO)) {
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, line, end.size);
  }
  errno = interrupted_call;
}

}  // namespace

void report_usage_on_request() {
  struct sigaction action{};
  action.sa_handler = report_usage;
  action.sa_flags = SA_RESTART;
  check(::sigaction(SIGUSR1, &action, nullptr), "sigaction SIGUSR1");
}

}  // namespace serverlab
