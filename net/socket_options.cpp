#include "net/socket_options.h"

#include "base/syscall.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace serverlab {
namespace {

constexpr auto sockets = "Sockets";

constexpr Setting rows[] = {
    {"nodelay", "on|off", "on", "TCP_NODELAY: send small messages at once", sockets},
    {"send-buffer", "SIZE", "0 B", "SO_SNDBUF; 0 leaves the kernel's autotuning on", sockets},
    {"receive-buffer", "SIZE", "0 B", "SO_RCVBUF; 0 leaves the kernel's autotuning on", sockets},
    {"congestion", "NAME", "", "congestion control, such as cubic; empty: the system's", sockets},
};

}  // namespace

std::span<const Setting> socket_settings() { return rows; }

SocketOptions socket_options(const Settings& settings) {
  constexpr std::uint64_t buffer_max = 1ULL << 30;
  return {.nodelay = settings.flag("nodelay"),
          .send_buffer_bytes = static_cast<int>(settings.size("send-buffer", 0, buffer_max)),
          .receive_buffer_bytes = static_cast<int>(settings.size("receive-buffer", 0, buffer_max)),
          .congestion = settings.text("congestion")};
}

void apply(const SocketOptions& options, int fd) {
  const auto set = [fd](int level, int option, int value, const char* name) {
    check(::setsockopt(fd, level, option, &value, sizeof value), std::string("setsockopt ") + name);
  };
  if (options.nodelay) set(IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY");
  if (options.send_buffer_bytes > 0)
    set(SOL_SOCKET, SO_SNDBUF, options.send_buffer_bytes, "SO_SNDBUF");
  if (options.receive_buffer_bytes > 0)
    set(SOL_SOCKET, SO_RCVBUF, options.receive_buffer_bytes, "SO_RCVBUF");
  if (!options.congestion.empty()) {
    check(::setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, options.congestion.data(),
                       static_cast<socklen_t>(options.congestion.size())),
          "setsockopt TCP_CONGESTION '" + options.congestion + "'");
  }
}

}  // namespace serverlab
