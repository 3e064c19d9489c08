#include "programs/standard_streams.h"

#include "base/syscall.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace serverlab {
namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): there before a handler asks
constinit std::atomic<bool> failed = false;

/// @return the error's number, 0 if there is none
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

// The lowest free number is taken first, so that each open gives the number that was missing.
void open_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) < 0) check(::open("/dev/null", O_RDWR), "open /dev/null");
  }
}

void ignore_write_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

void print_out(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE || failed.exchange(true)) return;
  char sentence[256];
  const auto end = fmt::format_to_n(sentence, sizeof sentence, "{}: cannot write to stdout: {}\n",
                                    ::program_invocation_short_name, ::strerrordesc_np(error));
  write_all(STDERR_FILENO, {sentence, end.out});
}

bool printing_failed() { return failed; }

}  // namespace serverlab
