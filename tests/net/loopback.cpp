#include "tests/net/loopback.h"

#include "base/syscall.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace serverlab {

TcpPair tcp_pair(const SocketOptions& options) {
  const Listener listener = listen_anywhere({.socket = options});
  OwnedFd far = connect_to(listener.address());
  Accepted accepted = listener.accept(AcceptMode::nonblocking);
  EXPECT_EQ(accepted.status, Accepted::Status::connection);
  return {.near = std::move(accepted.socket), .far = std::move(far)};
}

OwnedFd connect_to(const Address& address) {
  OwnedFd socket(check(::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0), "socket"));
  const timeval limit = {.tv_sec = patience.count(), .tv_usec = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  check(::connect(socket.get(), address.raw(), address.raw_size()), "connect");
  return socket;
}

Listener listen_anywhere(const ListenOptions& options) {
  return Listener(Address::parse("127.0.0.1:0"), options);
}

void say(int peer, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = check(::send(peer, text.data(), text.size(), MSG_NOSIGNAL), "send");
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string hear(int peer, std::size_t size) {
  std::string heard(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = check(::recv(peer, heard.data() + filled, size - filled, 0), "recv");
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  heard.resize(filled);
  return heard;
}

std::string hear_all(int peer) {
  constexpr std::size_t piece = 64 << 10;
  std::string heard;
  while (true) {
    const std::string more = hear(peer, piece);
    heard += more;
    if (more.size() < piece) return heard;
  }
}

bool hears_something(int peer) {
  pollfd entry = {.fd = peer, .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 0) > 0;
}

void reset(OwnedFd peer) {
  const linger at_once = {.l_onoff = 1, .l_linger = 0};
  ::setsockopt(peer.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  peer.close();
}

}  // namespace serverlab
