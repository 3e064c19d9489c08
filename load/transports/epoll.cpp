#include "base/syscall.h"
#include "load/transports/transport.h"
#include "net/stream.h"

#include <array>
#include <cerrno>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace serverlab {
namespace {

constexpr std::size_t read_buffer_bytes = 64 << 10;

class EpollTransport final : public Transport {
 public:
  explicit EpollTransport(std::span<Peer> peers) :
      peers_(peers),
      epoll_(check(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")),
      input_(read_buffer_bytes) {}

  int connect(Peer& peer, const Route& route) override {
    OwnedFd socket = start_connecting(route);
    if (!socket) return errno;
    peer.socket = std::move(socket);
    peer.state = Peer::State::connecting;
    watch(EPOLL_CTL_ADD, peer, EPOLLOUT);
    return 0;
  }

  bool send(Peer& peer, ByteView bytes) override {
    std::size_t gone = 0;
    if (peer.unsent.empty()) {
      const Transfer sent = serverlab::send(peer.socket.get(), bytes);
      if (sent.status == Transfer::Status::failed) return false;
      gone = sent.bytes;
      if (gone < bytes.size()) watch(EPOLL_CTL_MOD, peer, EPOLLIN | EPOLLOUT);
    }
    peer.unsent.append(bytes.subspan(gone));
    return true;
  }

  void close(Peer& peer) override {
    peer.socket.close();
    peer.state = Peer::State::closed;
    peer.unsent.release();
    ++peer.generation;
  }

  void wait(Duration limit, TransportEvents& events) override {
    for (const epoll_event& event : ready(limit)) {
      Peer& peer = peers_[static_cast<std::uint32_t>(event.data.u64)];
      // Closed by an earlier event of this batch?
      const bool stale = peer.generation != event.data.u64 >> 32;
      if (!stale) deliver(peer, event.events, events);
    }
  }

 private:
  std::span<const epoll_event> ready(Duration limit) {
    const timespec timeout = {.tv_sec = limit / std::chrono::seconds(1),
                              .tv_nsec = (limit % std::chrono::seconds(1)).count()};
    const int count = ::epoll_pwait2(epoll_.get(), ready_.data(), static_cast<int>(ready_.size()),
                                     &timeout, nullptr);
    if (count < 0 && errno == EINTR) return {};
    check(count, "epoll_pwait2");
    return {ready_.data(), static_cast<std::size_t>(count)};
  }

  void deliver(Peer& peer, std::uint32_t what, TransportEvents& events) {
    if (peer.state == Peer::State::connecting) return finish_connect(peer, events);
    if ((what & EPOLLOUT) != 0 && !send_rest(peer)) return events.failed(peer, EPIPE);
    if ((what & ~EPOLLOUT) != 0) receive_once(peer, events);
  }

  void finish_connect(Peer& peer, TransportEvents& events) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(peer.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return events.failed(peer, error);
    peer.state = Peer::State::open;
    watch(EPOLL_CTL_MOD, peer, EPOLLIN);
    events.connected(peer);
  }

  void receive_once(Peer& peer, TransportEvents& events) {
    const Transfer received = receive(peer.socket.get(), input_);
    switch (received.status) {
      case Transfer::Status::moved:
        return events.received(peer, ByteView(input_).first(received.bytes));
      case Transfer::Status::would_block: return;
      case Transfer::Status::ended: return events.ended(peer);
      case Transfer::Status::failed: return events.failed(peer, received.error);
    }
  }

  bool send_rest(Peer& peer) {
    const Transfer sent = serverlab::send(peer.socket.get(), peer.unsent.view());
    if (sent.status == Transfer::Status::failed) return false;
    peer.unsent.consume(sent.bytes);
    if (peer.unsent.empty()) {
      peer.unsent.release();
      watch(EPOLL_CTL_MOD, peer, EPOLLIN);
    }
    return true;
  }

  void watch(int operation, const Peer& peer, std::uint32_t what) {
    epoll_event event{};
    event.events = what;
    event.data.u64 =
        std::uint64_t{peer.generation} << 32 | static_cast<std::uint32_t>(&peer - peers_.data());
    check(::epoll_ctl(epoll_.get(), operation, peer.socket.get(), &event), "epoll_ctl");
  }

  std::span<Peer> peers_;
  OwnedFd epoll_;
  std::vector<std::byte> input_;
  std::array<epoll_event, 256> ready_{};
};

}  // namespace

std::unique_ptr<Transport> make_epoll_transport(std::span<Peer> peers) {
  return std::make_unique<EpollTransport>(peers);
}

}  // namespace serverlab
