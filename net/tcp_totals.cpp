#include "net/tcp_totals.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace serverlab {
namespace {

// As the kernel numbers them (include/net/tcp_states.h).
enum class TcpState : std::uint8_t {
  time_wait = 6,
  closed = 7,
  close_wait = 8,
  last_ack = 9,
  listen = 10,
  closing = 11
};

// The kernel counts the end of the stream as a byte.
bool has_received_end(TcpState state) {
  switch (state) {
    case TcpState::time_wait:
    case TcpState::closed:
    case TcpState::close_wait:
    case TcpState::last_ack:
    case TcpState::closing: return true;
    case TcpState::listen: break;
  }
  return false;
}

bool is_reset(int fd) {
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error != 0;
}

}  // namespace

std::optional<TcpTotals> tcp_totals(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0) return std::nullopt;
  const auto state = static_cast<TcpState>(info.tcpi_state);
  if (state == TcpState::listen || is_reset(fd)) return std::nullopt;
  const std::uint64_t received = info.tcpi_bytes_received;
  return TcpTotals{.received = received - (received > 0 && has_received_end(state) ? 1 : 0),
                   .sent = info.tcpi_bytes_sent - info.tcpi_bytes_retrans,
                   .acknowledged = info.tcpi_bytes_acked};
}

}  // namespace serverlab
