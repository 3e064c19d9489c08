#include "net/stream.h"

#include "base/counters.h"

#include <cerrno>
#include <sys/socket.h>

namespace serverlab {
namespace {

Transfer failure() {
  if (errno != EAGAIN && errno != EWOULDBLOCK) return {Transfer::Status::failed, 0, errno};
  ++counters().would_block;
  return {Transfer::Status::would_block, 0, 0};
}

}  // namespace

Transfer receive(int fd, std::span<std::byte> room) {
  ssize_t got = 0;
  do {
    ++counters().receives;
    got = ::recv(fd, room.data(), room.size(), 0);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return failure();
  if (got == 0) return {Transfer::Status::ended, 0, 0};
  return {Transfer::Status::moved, static_cast<std::size_t>(got), 0};
}

std::size_t peek(int fd, std::span<std::byte> room) {
  ++counters().receives;
  const ssize_t got = ::recv(fd, room.data(), room.size(), MSG_PEEK | MSG_DONTWAIT);
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

Transfer send(int fd, ByteView bytes) {
  ssize_t sent = 0;
  do {
    ++counters().sends;
    sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return failure();
  counters().bytes_out += static_cast<std::uint64_t>(sent);
  return {Transfer::Status::moved, static_cast<std::size_t>(sent), 0};
}

void end_sending(int fd) { ::shutdown(fd, SHUT_WR); }

void reset_at_close(int fd) {
  const linger none = {.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

void end_receiving(int fd) { ::shutdown(fd, SHUT_RD); }

}  // namespace serverlab
