#pragma once

// Peers without sockets, and a transport that only remembers what it is told.

#include "load/transports/transport.h"

#include <vector>

namespace serverlab {

/// A client whose requests are one byte each, and whose replies are not checked.
struct OneByteClient {
  static std::uint8_t request(Bytes& output) {
    output.append(std::string_view("x"));
    return 0;
  }
  static Checked check(ByteView input) { return {input.size(), Verdict::correct}; }
  static ExpectedReply expected() { return {}; }
};

inline std::vector<Peer> make_peers(std::uint32_t count) {
  std::vector<Peer> peers;
  for (std::uint32_t i = 0; i < count; ++i) peers.emplace_back(i, 0, OneByteClient(), 4);
  return peers;
}

class TransportToNowhere final : public Transport {
 public:
  int connect_error = 0;          // of every connect
  bool is_broken = false;         // every send fails
  bool with_wait = false;         // sends go out with the next wait
  std::vector<std::size_t> sent;  // bytes of each send

  bool sends_with_wait() const override { return with_wait; }
  int connect(Peer& peer, const Route&) override {
    if (connect_error == 0) peer.state = Peer::State::connecting;
    return connect_error;
  }
  bool send(Peer&, ByteView bytes) override {
    sent.push_back(bytes.size());
    return !is_broken;
  }
  void close(Peer& peer) override {
    peer.state = Peer::State::closed;
    ++peer.generation;
  }
  void wait(Duration, TransportEvents&) override {}
};

}  // namespace serverlab
