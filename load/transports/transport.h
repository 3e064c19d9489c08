#pragma once

// Moves the bytes of many client connections. It knows sockets, and nothing of requests, schedules
// or time, so a load is the same by epoll and by io_uring.

#include "load/peer.h"
#include "net/address.h"
#include "net/listener.h"

#include <memory>

namespace serverlab {

enum class TransportName { epoll, uring };

/// Events for the transport's owner, which may send on, close or connect the peer in each of
/// them.
class TransportEvents {
 public:
  virtual void connected(Peer& peer) = 0;
  virtual void received(Peer& peer, ByteView bytes) = 0;
  virtual void ended(Peer& peer) = 0;              // the other side sends no more
  virtual void failed(Peer& peer, int error) = 0;  // an errno; the socket cannot be used any more

 protected:
  ~TransportEvents() = default;
};

/// How a connection is made.
struct Route {
  const Address& target;
  const Address* source;  // null: the system's choice
  const SocketOptions& socket;
};

/// A socket that has begun to connect.
/// @return it, or none with errno set
OwnedFd start_connecting(const Route& route);

class Transport {
 public:
  virtual ~Transport() = default;

  /// Starts to connect: `connected` or `failed` follows.
  /// @return 0, or the errno with which it failed at once
  virtual int connect(Peer& peer, const Route& route) = 0;

  /// Sends now or in the next wait; keeps what the socket does not take.
  /// @return false if the connection is broken
  virtual bool send(Peer& peer, ByteView bytes) = 0;

  /// Whether what is sent goes out with the next wait only.
  virtual bool sends_with_wait() const { return false; }

  /// Closes at once; no event of the old socket follows.
  virtual void close(Peer& peer) = 0;

  /// Waits for events, no longer than `limit`, and delivers them.
  virtual void wait(Duration limit, TransportEvents& events) = 0;
};

/// @param peers keep their places as long as the transport lives
std::unique_ptr<Transport> make_transport(TransportName name, std::span<Peer> peers);

/// epoll, level-triggered: one receive per event, one send per batch of requests.
std::unique_ptr<Transport> make_epoll_transport(std::span<Peer> peers);

/// io_uring: a multishot receive per connection into buffers of the ring, sends submitted with
/// the next wait.
std::unique_ptr<Transport> make_uring_transport(std::span<Peer> peers);

}  // namespace serverlab
