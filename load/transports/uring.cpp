// A connection's receive is armed once and completes many times, each time with bytes in a buffer
// of the ring; sends go out with the next wait. So a turn of the loop costs one system call,
// however many replies it brings.

#include "load/transports/transport.h"
#include "net/ring.h"

#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace serverlab {
namespace {

constexpr unsigned submissions = 1024;
constexpr unsigned buffers = 256;
constexpr unsigned buffer_bytes = 4096;

enum class Operation : std::uint8_t { connect, receive, send };

class UringTransport final : public Transport {
 public:
  explicit UringTransport(std::span<Peer> peers) :
      peers_(peers),
      sendings_(peers.size()),
      ring_(submissions),
      buffers_(ring_, buffers, buffer_bytes) {}

  bool sends_with_wait() const override { return true; }

  int connect(Peer& peer, const Route& route) override {
    OwnedFd socket = start_connecting(route);
    if (!socket) return errno;
    peer.socket = std::move(socket);
    peer.state = Peer::State::connecting;
    io_uring_sqe* submission = ring_.next();
    ::io_uring_prep_poll_add(submission, peer.socket.get(), POLLOUT);
    submission->user_data = tag(peer, Operation::connect);
    return 0;
  }

  // One send at a time is in flight on a socket, from memory that stays where it is until the
  // send has completed.
  bool send(Peer& peer, ByteView bytes) override {
    Sending& sending = of(peer);
    sending.next.append(bytes);
    if (!sending.in_flight) submit_send(peer);
    return true;
  }

  void close(Peer& peer) override {
    ring_.submit();
    // The armed receive holds the socket open after close; shutdown ends both.
    ::shutdown(peer.socket.get(), SHUT_RDWR);
    peer.socket.close();
    peer.state = Peer::State::closed;
    ++peer.generation;
    Sending& sending = of(peer);
    sending.next.release();
    // What the kernel may still be reading is kept until its completion comes.
    if (sending.in_flight) {
      orphans_.push_back(std::move(sending.now));
      ++orphans_in_flight_;
    }
    sending = {};
  }

  void wait(Duration limit, TransportEvents& events) override {
    ring_.wait(limit, [&](const io_uring_cqe& completion) { deliver(completion, events); });
    if (orphans_in_flight_ == 0) orphans_.clear();
  }

 private:
  struct Sending {
    Bytes now;   // being sent
    Bytes next;  // to be sent after that
    bool in_flight = false;
  };

  Sending& of(const Peer& peer) {
    return sendings_[static_cast<std::size_t>(&peer - peers_.data())];
  }

  // user_data: the peer's place in the low half, then 24 bits of its generation, then the kind of
  // operation.
  std::uint64_t tag(const Peer& peer, Operation operation) const {
    return static_cast<std::uint64_t>(operation) << 56 |
           std::uint64_t{peer.generation & 0xffffff} << 32 |
           static_cast<std::uint32_t>(&peer - peers_.data());
  }

  void deliver(const io_uring_cqe& completion, TransportEvents& events) {
    Peer& peer = peers_[static_cast<std::uint32_t>(completion.user_data)];
    const bool stale = (completion.user_data >> 32 & 0xffffff) != (peer.generation & 0xffffff);
    switch (static_cast<Operation>(completion.user_data >> 56)) {
      case Operation::connect:
        if (!stale) finish_connect(peer, events);
        break;
      case Operation::receive: take_received(peer, completion, stale, events); break;
      case Operation::send:
        stale ? void(--orphans_in_flight_) : finish_send(peer, completion, events);
        break;
    }
  }

  void finish_connect(Peer& peer, TransportEvents& events) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(peer.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return events.failed(peer, error);
    peer.state = Peer::State::open;
    arm_receive(peer);
    events.connected(peer);
  }

  void arm_receive(Peer& peer) {
    io_uring_sqe* submission = ring_.next();
    ::io_uring_prep_recv_multishot(submission, peer.socket.get(), nullptr, 0, 0);
    submission->flags |= IOSQE_BUFFER_SELECT;
    submission->buf_group = ProvidedBuffers::group;
    submission->user_data = tag(peer, Operation::receive);
  }

  void take_received(Peer& peer, const io_uring_cqe& completion, bool stale,
                     TransportEvents& events) {
    const bool has_buffer = (completion.flags & IORING_CQE_F_BUFFER) != 0;
    const std::uint32_t generation = peer.generation;
    if (!stale && completion.res > 0) events.received(peer, buffers_.content(completion));
    if (has_buffer) buffers_.give_back(completion);
    if (stale || generation != peer.generation) return;  // closed before, or by the handler
    if (completion.res == 0) return events.ended(peer);
    if (completion.res < 0 && completion.res != -ENOBUFS)
      return events.failed(peer, -completion.res);
    if ((completion.flags & IORING_CQE_F_MORE) == 0) arm_receive(peer);
  }

  void submit_send(Peer& peer) {
    Sending& sending = of(peer);
    std::swap(sending.now, sending.next);
    sending.in_flight = true;
    io_uring_sqe* submission = ring_.next();
    const ByteView bytes = sending.now.view();
    ::io_uring_prep_send(submission, peer.socket.get(), bytes.data(), bytes.size(),
                         MSG_NOSIGNAL | MSG_WAITALL);
    submission->user_data = tag(peer, Operation::send);
  }

  void finish_send(Peer& peer, const io_uring_cqe& completion, TransportEvents& events) {
    Sending& sending = of(peer);
    sending.in_flight = false;
    if (completion.res < 0) return events.failed(peer, -completion.res);
    sending.now.consume(static_cast<std::size_t>(completion.res));
    if (!sending.now.empty()) return events.failed(peer, EPIPE);  // MSG_WAITALL: it broke half-way
    if (!sending.next.empty()) submit_send(peer);
  }

  std::span<Peer> peers_;
  std::vector<Sending> sendings_;
  std::vector<Bytes> orphans_;  // of closed connections
  std::size_t orphans_in_flight_ = 0;
  Ring ring_;
  ProvidedBuffers buffers_;
};

}  // namespace

std::unique_ptr<Transport> make_uring_transport(std::span<Peer> peers) {
  return std::make_unique<UringTransport>(peers);
}

}  // namespace serverlab
