// A connection that is closed takes nothing with it to the next one of its peer, whose socket may
// have the same descriptor.

#include "load/transports/transport.h"
#include "net/ring.h"
#include "tests/load/peers.h"
#include "tests/net/loopback.h"

#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>

namespace serverlab {
namespace {

struct Received final : TransportEvents {
  std::string text;
  bool is_connected = false;

  void connected(Peer&) override { is_connected = true; }
  void received(Peer&, ByteView bytes) override {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  void ended(Peer&) override { text += "(ended)"; }
  void failed(Peer&, int) override { text += "(failed)"; }
};

class CloseTest : public testing::TestWithParam<TransportName> {
 protected:
  void SetUp() override {
    if (GetParam() == TransportName::uring && !lacking_ring().empty()) GTEST_SKIP();
    transport_ = make_transport(GetParam(), peers_);
  }

  // Returns the other end.
  OwnedFd connect() {
    const SocketOptions options;
    const Address target = listener_.address();
    EXPECT_EQ(transport_->connect(peers_[0], {target, nullptr, options}), 0);
    OwnedFd far(::accept(listener_.fd(), nullptr, nullptr));
    events_ = {};
    while (!events_.is_connected) transport_->wait(patience, events_);
    return far;
  }

  void send(std::string_view text) {
    Bytes bytes;
    bytes.append(text);
    EXPECT_TRUE(transport_->send(peers_[0], bytes.view()));
  }

  Listener listener_ = listen_anywhere();
  std::vector<Peer> peers_ = make_peers(1);
  Received events_;
  std::unique_ptr<Transport> transport_;
};

TEST_P(CloseTest, WhatWasToBeSentIsNotSentOnTheNextConnection) {
  const OwnedFd first = connect();
  send("first");
  transport_->close(peers_[0]);
  const OwnedFd second = connect();
  send("second");
  transport_->wait(Duration::zero(), events_);
  transport_->close(peers_[0]);
  EXPECT_EQ(hear_all(second.get()), "second");
}

TEST_P(CloseTest, WhatTheNextConnectionReceivesIsItsOwn) {
  const OwnedFd first = connect();  // and its receive waits for bytes
  transport_->close(peers_[0]);
  const OwnedFd second = connect();
  say(second.get(), "reply");
  while (events_.text.size() < 5) transport_->wait(patience, events_);
  EXPECT_EQ(events_.text, "reply");
}

INSTANTIATE_TEST_SUITE_P(EachTransport, CloseTest,
                         testing::Values(TransportName::epoll, TransportName::uring),
                         [](const auto& tested) {
                           return tested.param == TransportName::epoll ? "Epoll" : "Uring";
                         });

}  // namespace
}  // namespace serverlab
