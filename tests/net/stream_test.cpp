// One receive, one send: everything that a peer can do to them is a value.

#include "net/stream.h"

#include "tests/net/loopback.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <poll.h>
#include <vector>

namespace serverlab {
namespace {

using Status = Transfer::Status;

// Waits until there is something to receive; an answer of the kernel is on its way.
void await_input(int fd) {
  pollfd entry = {.fd = fd, .events = POLLIN, .revents = 0};
  ASSERT_EQ(::poll(&entry, 1, 10'000), 1);
}

TEST(Stream, WouldBlockWhileNothingHasArrived) {
  const TcpPair pair = tcp_pair();
  std::byte room[8];
  EXPECT_EQ(receive(pair.near.get(), room).status, Status::would_block);
}

TEST(Stream, MovesNoMoreThanThereIsRoomFor) {
  const TcpPair pair = tcp_pair();
  say(pair.far.get(), "hello, world");
  await_input(pair.near.get());
  std::byte room[5];
  const Transfer first = receive(pair.near.get(), room);
  EXPECT_EQ(first.status, Status::moved);
  EXPECT_EQ(text_of(ByteView(room).first(first.bytes)), "hello");
}

TEST(Stream, EndsWhenThePeerSendsNoMore) {
  const TcpPair pair = tcp_pair();
  say(pair.far.get(), "x");
  end_sending(pair.far.get());
  std::byte room[8];
  await_input(pair.near.get());
  EXPECT_EQ(receive(pair.near.get(), room).status, Status::moved);
  await_input(pair.near.get());
  EXPECT_EQ(receive(pair.near.get(), room).status, Status::ended);
}

TEST(Stream, TakesAPartOfWhatDoesNotFitAndThenWouldBlock) {
  const TcpPair pair = tcp_pair({.send_buffer_bytes = 4096});
  const std::vector<std::byte> much(64 << 20);
  const Transfer first = send(pair.near.get(), much);
  EXPECT_EQ(first.status, Status::moved);
  EXPECT_LT(first.bytes, much.size());
  Transfer last = first;
  while (last.status == Status::moved) last = send(pair.near.get(), much);
  EXPECT_EQ(last.status, Status::would_block);
}

TEST(Stream, FailsWithTheReasonWhenThePeerHasReset) {
  TcpPair pair = tcp_pair();
  reset(std::move(pair.far));
  await_input(pair.near.get());
  std::byte room[8];
  const Transfer received = receive(pair.near.get(), room);
  EXPECT_EQ(received.status, Status::failed);
  EXPECT_EQ(received.error, ECONNRESET);
  const Transfer sent = send(pair.near.get(), bytes_of("into the void"));
  EXPECT_EQ(sent.status, Status::failed) << "and no SIGPIPE has ended this process";
  EXPECT_EQ(sent.error, EPIPE);
}

TEST(Stream, OnceItsReceivingIsEndedStillGivesWhatHadArrived) {
  const TcpPair pair = tcp_pair();
  say(pair.far.get(), "asked before");
  await_input(pair.near.get());
  end_receiving(pair.near.get());
  std::byte room[64];
  const Transfer arrived = receive(pair.near.get(), room);
  EXPECT_EQ(text_of(ByteView(room).first(arrived.bytes)), "asked before");
  EXPECT_EQ(receive(pair.near.get(), room).status, Status::ended);
  EXPECT_EQ(send(pair.near.get(), bytes_of("answered")).status, Status::moved);
  EXPECT_EQ(hear(pair.far.get(), 8), "answered");
}

}  // namespace
}  // namespace serverlab
