#include "engines/workers/child_process.h"

#include "base/syscall.h"
#include "net/blocked_signals.h"

#include <cstdlib>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace serverlab {
namespace {

constexpr auto handled = {SIGTERM, SIGINT, SIGHUP};

pid_t start(void (*on_signal)(int), const std::function<void()>& body) {
  const pid_t parent = ::getpid();
  {
    // A signal that came to the child before it has its own handler would find its parent's.
    const BlockedSignals until_handled(handled);
    const pid_t pid = check(::fork(), "fork");
    if (pid > 0) return pid;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(EXIT_FAILURE);
    struct sigaction action{};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    for (const int number : handled) ::sigaction(number, &action, nullptr);
  }
  try {
    body();
  } catch (...) {
    ::_exit(EXIT_FAILURE);
  }
  ::_exit(EXIT_SUCCESS);
}

}  // namespace

ChildProcess::ChildProcess(void (*on_signal)(int), const std::function<void()>& body) :
    pid_(start(on_signal, body)) {}

void ChildProcess::watch() {
  ended_ = OwnedFd(static_cast<int>(check(::syscall(SYS_pidfd_open, pid_, 0), "pidfd_open")));
}

void ChildProcess::send(int signal) const { ::kill(pid_, signal); }

int ChildProcess::wait() const {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace serverlab
