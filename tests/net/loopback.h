#pragma once

// Connected sockets to test with, and a peer's verbs: each does the whole of what it is asked, or
// fails the test. A peer's patience ends, so that a lost byte is a failure and no hang.

#include "net/address.h"
#include "net/listener.h"

#include <chrono>
#include <string>
#include <string_view>

namespace serverlab {

/// Nothing takes so long that is not stuck, even under a sanitizer on a busy machine.
constexpr std::chrono::seconds patience{60};

struct TcpPair {
  OwnedFd near;  // accepted, does not block: the end that is tested
  OwnedFd far;   // blocks: the peer
};

/// @param options of the near end
TcpPair tcp_pair(const SocketOptions& options = {});

/// A connection to a listener, from a peer.
OwnedFd connect_to(const Address& address);

/// Listens on a free port of 127.0.0.1.
Listener listen_anywhere(const ListenOptions& options = {});

void say(int peer, std::string_view text);

/// @return the next `size` bytes, fewer only if the stream ends before
std::string hear(int peer, std::size_t size);

/// @return everything up to the end of the stream
std::string hear_all(int peer);

/// Whether there is something to hear, or the stream has ended.
bool hears_something(int peer);

/// Closes with a reset instead of a FIN.
void reset(OwnedFd peer);

}  // namespace serverlab
