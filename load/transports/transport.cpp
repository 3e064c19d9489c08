#include "load/transports/transport.h"

#include <cerrno>
#include <netinet/in.h>
#include <sys/socket.h>

namespace serverlab {

OwnedFd start_connecting(const Route& route) {
  const int family = route.target.family();
  OwnedFd socket(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket) return socket;
  apply(route.socket, socket.get());
  if (route.source != nullptr) {
    // The port is chosen at connect, so that one local port can serve as many connections as
    // there are targets.
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    if (::bind(socket.get(), route.source->raw(), route.source->raw_size()) < 0) return {};
  }
  const int status = ::connect(socket.get(), route.target.raw(), route.target.raw_size());
  if (status < 0 && errno != EINPROGRESS) return {};
  return socket;
}

std::unique_ptr<Transport> make_transport(TransportName name, std::span<Peer> peers) {
  return name == TransportName::uring ? make_uring_transport(peers) : make_epoll_transport(peers);
}

}  // namespace serverlab
