#pragma once

// How many bytes have come and gone on a connection, as the kernel counts them.

#include <cstdint>
#include <optional>

namespace serverlab {

struct TcpTotals {
  std::uint64_t received = 0;  // from the peer, read or not
  std::uint64_t sent = 0;      // to the peer, each byte once; what waits in the socket is not sent
  std::uint64_t acknowledged = 0;  // of that, by the peer; its beginning and end may count as bytes
};

/// @return nothing for what is no TCP connection, and for one that its peer has reset
std::optional<TcpTotals> tcp_totals(int fd);

}  // namespace serverlab
