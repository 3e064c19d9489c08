#pragma once

// Signals that the calling thread does not take for a while, nor any that it makes meanwhile, ever:
// the mask is inherited, also by the child of a fork.

#include <csignal>
#include <initializer_list>

namespace serverlab {

class BlockedSignals {
 public:
  BlockedSignals(std::initializer_list<int> numbers) {
    sigset_t blocked;
    ::sigemptyset(&blocked);
    for (const int number : numbers) ::sigaddset(&blocked, number);
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace serverlab
