// What a service is told of the client of a connection.

#include "engines/connections/peer.h"

#include "services/echo/session.h"
#include "tests/net/loopback.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

TEST(Peer, HasTheAddressOfTheOtherEnd) {
  const TcpPair pair = tcp_pair();
  EXPECT_EQ(peer_of(pair.near.get()).address(), Address::of_local(pair.far.get()).to_string());
}

TEST(Peer, OfASessionWithoutASocketIsUnknown) {
  std::string told;
  const Service service = {.open = [&](const Service::Peer& peer) {
    told = peer.address();
    return EchoSession();
  }};
  service.open({});
  EXPECT_EQ(told, "unknown");
}

}  // namespace
}  // namespace serverlab
