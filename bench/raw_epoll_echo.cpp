// The control of `make bench-abstraction`: an echo server by level-triggered epoll in one page,
// without a session, a connection object, a setting or a counter. What serverlab's epoll-level
// costs more than this is the abstraction's price.
//
// Usage: raw_epoll_echo CPU. It prints the `listening` event of serverlab-server, and serves until
// it is killed.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <string>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

int listen_on_loopback() {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", std::strlen("reno"));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (fd < 0 || ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) < 0 ||
      ::listen(fd, 4096) < 0)
    std::abort();
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  std::printf("{\"event\":\"listening\",\"address\":\"127.0.0.1:%d\",\"pid\":%d}\n",
              ntohs(address.sin_port), ::getpid());
  std::fflush(stdout);
  return fd;
}

void watch(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) < 0) std::abort();
}

// Short sends do not happen here: a closed loop of small messages never fills a socket.
void echo(int fd) {
  static char buffer[64 << 10];
  const ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
  if (got > 0) {
    ::send(fd, buffer, static_cast<std::size_t>(got), MSG_NOSIGNAL);
  } else {
    ::close(fd);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: raw_epoll_echo CPU\n");
    return 2;
  }
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(static_cast<std::size_t>(std::stoi(argv[1])), &cpus);
  ::sched_setaffinity(0, sizeof cpus, &cpus);
  const int listener = listen_on_loopback();
  const int epoll = ::epoll_create1(0);
  watch(epoll, listener);
  epoll_event events[256];
  while (true) {
    const int count = ::epoll_wait(epoll, events, 256, -1);
    for (int i = 0; i < count; ++i) {
      if (events[i].data.fd != listener) {
        echo(events[i].data.fd);
        continue;
      }
      const int client = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK);
      if (client >= 0) watch(epoll, client);
    }
  }
}
