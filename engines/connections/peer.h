#pragma once

// What a service may know of a connection's other end, from the descriptor that it may not know.

#include "net/address.h"
#include "services/service.h"

namespace serverlab {

/// @param fd the connection's; open as long as the service may ask
inline Service::Peer peer_of(int fd) {
  return {.address = [fd] { return Address::of_peer(fd).to_string(); }};
}

}  // namespace serverlab
