#pragma once

// The only owner of a file descriptor, and the only place that closes one. Everything else
// borrows the number.

#include <cerrno>
#include <unistd.h>
#include <utility>

namespace serverlab {

class OwnedFd {
 public:
  OwnedFd() = default;
  explicit OwnedFd(int fd) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~OwnedFd() { close(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

  /// Gives the descriptor to an owner of another kind (Asio's sockets).
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }

  /// @return 0, or the errno with which a file says that what was written to it is lost
  int close() {
    // Never retried: Linux frees the number even on EINTR.
    return fd_ >= 0 && ::close(std::exchange(fd_, -1)) < 0 ? errno : 0;
  }

 private:
  int fd_ = -1;
};

}  // namespace serverlab
