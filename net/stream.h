#pragma once

// One receive or one send on a connected socket. What a peer or the network does is a value here,
// never an exception.

#include "base/bytes.h"

namespace serverlab {

struct Transfer {
  enum class Status {
    moved,        // `bytes` is at least 1
    would_block,  // nothing now (non-blocking sockets only)
    ended,        // receive only: the peer sends no more
    failed,       // `error` is the errno: the connection is of no more use
  };
  Status status = Status::would_block;
  std::size_t bytes = 0;
  int error = 0;
};

/// At most one recv.
/// @param room not empty
[[nodiscard]] Transfer receive(int fd, std::span<std::byte> room);

/// What a receive would give, of its first bytes, which stay where they are. One recv.
/// @return how many bytes; 0 if there are none, for whatever reason
std::size_t peek(int fd, std::span<std::byte> room);

/// At most one send, which may take only a part; never raises SIGPIPE.
/// @param bytes not empty
[[nodiscard]] Transfer send(int fd, ByteView bytes);

/// Tells the peer that no more will be sent (FIN).
void end_sending(int fd);

/// Closing the socket will reset the connection: what is still to be sent is dropped, and the peer
/// learns that something is missing (RST).
void reset_at_close(int fd);

/// From now on, once what has already arrived is read, the socket reads as ended, as if the peer
/// had half-closed. This is how every engine drains: what was asked is answered, then the
/// connection ends by the ordinary path.
void end_receiving(int fd);

}  // namespace serverlab
