#pragma once

// A forked process that does not outlive the one that forked it.

#include "base/owned_fd.h"

#include <functional>
#include <sys/types.h>

namespace serverlab {

class ChildProcess {
 public:
  /// Runs `body` in a process of its own, which ends without what its parent has yet to do: flush,
  /// destroy, report. What `body` throws ends it with a status of failure. To be called while there
  /// is one thread only.
  /// @param on_signal handles SIGTERM, SIGINT and SIGHUP there, from the beginning
  /// @throws std::system_error if there can be no further process
  ChildProcess(void (*on_signal)(int), const std::function<void()>& body);

  pid_t pid() const { return pid_; }

  /// Opens `fd`: a descriptor that processes inherit which are forked later.
  void watch();

  /// Readable once the process has ended.
  int fd() const { return ended_.get(); }

  void send(int signal) const;

  /// Waits for its end.
  /// @return how it came about, as waitpid(2) has it
  int wait() const;

 private:
  pid_t pid_;
  OwnedFd ended_;  // a pidfd
};

}  // namespace serverlab
