#pragma once

// The connections of one loop, found by descriptor.

#include "engines/connections/connection.h"

#include <vector>

namespace serverlab {

/// @tparam C is made of a socket and more, and closes the socket when it is destroyed
template <class C>
class ConnectionsOf {
 public:
  template <class... Args>
  C& open(OwnedFd socket, Args&&... args) {
    const auto slot = static_cast<std::size_t>(socket.get());
    if (by_fd_.size() <= slot) by_fd_.resize(slot + 1);
    by_fd_[slot] = std::make_unique<C>(std::move(socket), std::forward<Args>(args)...);
    ++count_;
    return *by_fd_[slot];
  }

  bool has(int fd) const {
    const auto slot = static_cast<std::size_t>(fd);
    return slot < by_fd_.size() && by_fd_[slot] != nullptr;
  }

  C& at(int fd) { return *by_fd_[static_cast<std::size_t>(fd)]; }

  void close(int fd) {
    by_fd_[static_cast<std::size_t>(fd)].reset();
    --count_;
  }

  std::size_t count() const { return count_; }

  template <class Visit>
  void each(Visit visit) const {
    for (const auto& connection : by_fd_) {
      if (connection) visit(*connection);
    }
  }

  /// Lets every connection end as if its peer had said all it will.
  void end_receiving_all() const {
    each([](const C& connection) { end_receiving(connection.fd()); });
  }

 private:
  std::vector<std::unique_ptr<C>> by_fd_;
  std::size_t count_ = 0;
};

using Connections = ConnectionsOf<Connection>;

}  // namespace serverlab
