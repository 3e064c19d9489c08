#pragma once

// The only owner of a file descriptor, and the only place that closes one. Everything else
// borrows the number.

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

  void close() {
    if (fd_ >= 0)
      ::close(std::exchange(fd_, -1));  // never retried: Linux frees the number even on EINTR
  }

 private:
  int fd_ = -1;
};

}  // namespace serverlab
