// What the kernel counted on a connection: what came and what left.

#include "net/tcp_totals.h"

#include "net/stream.h"
#include "tests/net/loopback.h"

#include <gtest/gtest.h>
#include <poll.h>

namespace serverlab {
namespace {

// Waits for this event or for the connection's end.
void await(int fd, short event) {
  pollfd entry = {.fd = fd, .events = event, .revents = 0};
  ASSERT_EQ(::poll(&entry, 1, 10'000), 1);
}

TcpTotals totals_of(int fd) { return tcp_totals(fd).value_or(TcpTotals{}); }

TEST(TcpTotals, CountWhatHasComeWhetherItIsReadOrNot) {
  const TcpPair pair = tcp_pair();
  say(pair.far.get(), "hello");
  await(pair.near.get(), POLLIN);
  EXPECT_EQ(totals_of(pair.near.get()).received, 5U);
  std::byte room[8];
  ASSERT_EQ(receive(pair.near.get(), room).bytes, 5U);
  EXPECT_EQ(totals_of(pair.near.get()).received, 5U);
}

TEST(TcpTotals, DoNotCountTheEndOfTheStream) {
  const TcpPair pair = tcp_pair();
  say(pair.far.get(), "hello");
  end_sending(pair.far.get());
  await(pair.near.get(), POLLRDHUP);
  EXPECT_EQ(totals_of(pair.near.get()).received, 5U);
}

TEST(TcpTotals, CountWhatHasLeft) {
  const TcpPair pair = tcp_pair();
  ASSERT_EQ(send(pair.near.get(), bytes_of("hello")).bytes, 5U);
  EXPECT_EQ(hear(pair.far.get(), 5), "hello");
  EXPECT_EQ(totals_of(pair.near.get()).sent, 5U);
}

TEST(TcpTotals, DoNotCountWhatWaitsInTheSocketAsSent) {
  const TcpPair pair = tcp_pair();
  const std::string much(1 << 20, 'x');
  std::size_t taken = 0;
  while (true) {
    const Transfer sent = send(pair.near.get(), bytes_of(much));
    if (sent.status != Transfer::Status::moved) break;
    taken += sent.bytes;
  }
  EXPECT_LT(totals_of(pair.near.get()).sent, taken);
}

TEST(TcpTotals, AreNoneOfAConnectionThatItsPeerHasReset) {
  TcpPair pair = tcp_pair();
  say(pair.far.get(), "hello");
  reset(std::move(pair.far));
  await(pair.near.get(), POLLRDHUP);
  EXPECT_FALSE(tcp_totals(pair.near.get()));
}

TEST(TcpTotals, AreNoneOfWhatIsNoConnection) {
  EXPECT_FALSE(tcp_totals(listen_anywhere().fd()));
  EXPECT_FALSE(tcp_totals(-1));
}

}  // namespace
}  // namespace serverlab
