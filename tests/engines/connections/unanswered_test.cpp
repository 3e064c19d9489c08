// Which connections the drain limit ends unanswered.

#include "engines/connections/unanswered.h"

#include "engines/connections/conversation_record.h"
#include "net/stream.h"
#include "tests/net/loopback.h"

#include <gtest/gtest.h>
#include <poll.h>

namespace serverlab {
namespace {

constexpr std::size_t more_than_left = 1 << 20;

bool is_reset_soon(int fd) {
  const Instant deadline = now() + patience;
  pollfd entry = {.fd = fd, .events = 0, .revents = 0};
  do {
    ::poll(&entry, 1, 0);
  } while ((entry.revents & POLLERR) == 0 && now() < deadline);
  return (entry.revents & POLLERR) != 0;
}

// What is counted of a connection of which the session said `said_bytes` to a "hello", and whose
// peer sends once more after the drain limit has ended it: the kernel then resets it.
std::uint64_t counted(std::size_t said_bytes) {
  const TcpPair pair = tcp_pair();
  say(pair.far.get(), "hello");
  std::byte room[8];
  EXPECT_EQ(receive(pair.near.get(), room).bytes, 5U);
  const std::uint64_t before = counters().unanswered;
  {
    ConversationRecord record(pair.near.get());
    record.begin(5);
    record.end({.said_bytes = said_bytes});
    count_unanswered();
    end_both_ways(pair.near.get());
    EXPECT_EQ(hear(pair.far.get(), 1), "");
    say(pair.far.get(), "more");
    EXPECT_TRUE(is_reset_soon(pair.near.get()));
  }
  return counters().unanswered - before;
}

TEST(Unanswered, IsCountedThoughItsPeerSendsOn) { EXPECT_EQ(counted(more_than_left), 1U); }

TEST(Unanswered, IsNothingOfAConnectionThatHadItsReply) { EXPECT_EQ(counted(0), 0U); }

}  // namespace
}  // namespace serverlab
