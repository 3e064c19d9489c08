#pragma once

// A listening socket, set up once with everything that accepted sockets inherit: no setsockopt
// per connection.

#include "base/owned_fd.h"
#include "net/address.h"
#include "net/socket_options.h"

namespace serverlab {

struct ListenOptions {
  SocketOptions socket;
  int backlog = 4096;
  bool share_port = false;  // SO_REUSEPORT: among several listeners the kernel deals connections
  bool found_port =
      false;  // and is the first of them: fails if another socket has the port already
};

enum class AcceptMode { blocking, nonblocking };

struct Accepted {
  enum class Status {
    connection,      // `socket` is open
    nothing,         // no connection waits
    no_descriptors,  // this process or the system has none left: accept again when one is freed
    failed,          // that one connection failed (the peer was gone): accept the next
    ended,           // the socket listens no more
  };
  Status status = Status::nothing;
  OwnedFd socket;
};

class Listener {
 public:
  /// Binds and listens.
  /// @throws std::system_error that names the call and the address
  Listener(const Address& address, const ListenOptions& options);

  /// One accept4. It never sleeps, unless `set_blocking` said so.
  [[nodiscard]] Accepted accept(AcceptMode mode) const;

  /// Whether `accept` sleeps until a client connects, which wakes one thread: the one that slept
  /// longest.
  void set_blocking(bool blocks) const;

  /// Ends listening for every process that shares the socket: sleeping accepts return, and the
  /// kernel refuses the connections in the accept queue. The descriptor stays open.
  void shut_down() const;

  int fd() const { return fd_.get(); }
  Address address() const { return Address::of_local(fd()); }

  bool is_open() const { return static_cast<bool>(fd_); }

  /// Ends listening; the kernel refuses the connections in the accept queue.
  void close() { fd_.close(); }

  /// Gives the socket to an owner of another kind (Asio's acceptor).
  [[nodiscard]] int release() { return fd_.release(); }

 private:
  OwnedFd fd_;
};

/// Whether an accept that failed with this errno can succeed once a descriptor is freed.
bool lacks_descriptors(int error);

/// How many connections wait at a listening socket to be accepted.
int waiting_at(int fd);

/// The longest accept queue the kernel grants (net.core.somaxconn).
int backlog_max();

}  // namespace serverlab
