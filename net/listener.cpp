#include "net/listener.h"

#include "base/counters.h"
#include "base/syscall.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace serverlab {
namespace {

void switch_on(int fd, int option, const char* name) {
  const int on = 1;
  check(::setsockopt(fd, SOL_SOCKET, option, &on, sizeof on), std::string("setsockopt ") + name);
}

}  // namespace

int backlog_max() {
  std::ifstream file("/proc/sys/net/core/somaxconn");
  int value = SOMAXCONN;
  file >> value;
  return value;
}

bool lacks_descriptors(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

// Of a listening socket, the kernel gives the length of the accept queue as what is unacknowledged.
int waiting_at(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  check(::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size), "getsockopt TCP_INFO");
  return static_cast<int>(info.tcpi_unacked);
}

Listener::Listener(const Address& address, const ListenOptions& options) :
    fd_(check(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0),
              "socket")) {
  switch_on(fd(), SO_REUSEADDR, "SO_REUSEADDR");
  if (options.share_port && !options.found_port) switch_on(fd(), SO_REUSEPORT, "SO_REUSEPORT");
  // For all that are accepted: an urgent byte is one like any other, and is received in its place.
  // Else receiving skips it, and what has come from a peer is never all read.
  switch_on(fd(), SO_OOBINLINE, "SO_OOBINLINE");
  apply(options.socket, fd());
  check(::bind(fd(), address.raw(), address.raw_size()), "bind " + address.to_string());
  // Bound alone, and only then open to others: or two servers could share a port by mistake.
  if (options.share_port && options.found_port) switch_on(fd(), SO_REUSEPORT, "SO_REUSEPORT");
  check(::listen(fd(), options.backlog), "listen " + address.to_string());
}

Accepted Listener::accept(AcceptMode mode) const {
  const int flags = SOCK_CLOEXEC | (mode == AcceptMode::nonblocking ? SOCK_NONBLOCK : 0);
  OwnedFd socket(::accept4(fd(), nullptr, nullptr, flags));
  if (socket) {
    ++counters().accepts;
    return {Accepted::Status::connection, std::move(socket)};
  }
  if (errno == EAGAIN) return {Accepted::Status::nothing, {}};
  if (errno == EINVAL) return {Accepted::Status::ended, {}};
  if (lacks_descriptors(errno)) return {Accepted::Status::no_descriptors, {}};
  return {Accepted::Status::failed, {}};  // ECONNABORTED, EPROTO, EINTR, a firewall's EPERM
}

void Listener::set_blocking(bool blocks) const {
  const int flags = check(::fcntl(fd(), F_GETFL), "fcntl F_GETFL");
  check(::fcntl(fd(), F_SETFL, blocks ? flags & ~O_NONBLOCK : flags | O_NONBLOCK), "fcntl F_SETFL");
}

void Listener::shut_down() const { ::shutdown(fd(), SHUT_RD); }

}  // namespace serverlab
