#pragma once

// The connections of one loop, found by descriptor. There is no lock here: only the loop's thread
// calls, or where several threads share a loop, the one that holds their lock.

#include "engines/connections/connection.h"

#include <vector>

namespace serverlab {

/// @tparam C is made of a socket and more, and closes the socket when it is destroyed
template <class C>
class ConnectionsOf {
 public:
  /// @param watch what else a new connection needs, such as a place in a poller; if that throws,
  ///   the connection is closed again
  template <class Watch, class... Args>
  void open(OwnedFd socket, Watch watch, Args&&... args) {
    const auto slot = static_cast<std::size_t>(socket.get());
    if (by_fd_.size() <= slot) by_fd_.resize(slot + 1);
    by_fd_[slot] = std::make_unique<C>(std::move(socket), std::forward<Args>(args)...);
    ++count_;
    try {
      watch(*by_fd_[slot]);
    } catch (...) {
      close(static_cast<int>(slot));
      throw;
    }
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

  /// Ends receiving on every connection, as if each client had half-closed.
  void end_receiving_all() const {
    each([](const C& connection) { end_receiving(connection.fd()); });
  }

 private:
  std::vector<std::unique_ptr<C>> by_fd_;
  std::size_t count_ = 0;
};

using Connections = ConnectionsOf<Connection>;

}  // namespace serverlab
