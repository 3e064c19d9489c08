// Listening: what is granted, what is refused, and what an accepted socket inherits.

#include "net/listener.h"

#include "base/syscall.h"
#include "tests/net/loopback.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>

namespace serverlab {
namespace {

int option(int fd, int level, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  check(::getsockopt(fd, level, name, &value, &size), "getsockopt");
  return value;
}

bool blocks(int fd) { return (check(::fcntl(fd, F_GETFL), "fcntl") & O_NONBLOCK) == 0; }

/// While it lives, this process can open no more descriptors.
class NoDescriptorsLeft {
 public:
  NoDescriptorsLeft() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = check(::dup(0), "dup");
    const OwnedFd probe(next);
    const rlimit none_left = {.rlim_cur = static_cast<rlim_t>(next), .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none_left);
  }
  NoDescriptorsLeft(const NoDescriptorsLeft&) = delete;
  NoDescriptorsLeft& operator=(const NoDescriptorsLeft&) = delete;
  ~NoDescriptorsLeft() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(Listener, HasNothingToAcceptWhileNoneConnects) {
  EXPECT_EQ(listen_anywhere().accept(AcceptMode::nonblocking).status, Accepted::Status::nothing);
  EXPECT_EQ(listen_anywhere().accept(AcceptMode::blocking).status, Accepted::Status::nothing);
}

TEST(Listener, AcceptsAClientThatHasConnected) {
  const Listener listener = listen_anywhere();
  const OwnedFd peer = connect_to(listener.address());
  const Accepted accepted = listener.accept(AcceptMode::nonblocking);
  ASSERT_EQ(accepted.status, Accepted::Status::connection);
  say(peer.get(), "hello");
  EXPECT_EQ(hear(accepted.socket.get(), 5), "hello");
  EXPECT_EQ(listener.accept(AcceptMode::nonblocking).status, Accepted::Status::nothing);
}

TEST(Listener, GivesSocketsThatBlockOrDoNotAsAsked) {
  const Listener listener = listen_anywhere();
  const OwnedFd first = connect_to(listener.address());
  const OwnedFd second = connect_to(listener.address());
  EXPECT_TRUE(blocks(listener.accept(AcceptMode::blocking).socket.get()));
  EXPECT_FALSE(blocks(listener.accept(AcceptMode::nonblocking).socket.get()));
}

TEST(Listener, HandsItsSocketOptionsDownToWhatItAccepts) {
  const TcpPair plain = tcp_pair({.nodelay = false});
  const TcpPair tuned = tcp_pair({.nodelay = true,
                                  .send_buffer_bytes = 10'000,
                                  .receive_buffer_bytes = 20'000,
                                  .congestion = "reno"});
  EXPECT_EQ(option(plain.near.get(), IPPROTO_TCP, TCP_NODELAY), 0);
  EXPECT_EQ(option(tuned.near.get(), IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(option(tuned.near.get(), SOL_SOCKET, SO_SNDBUF), 20'000) << "Linux doubles it";
  EXPECT_EQ(option(tuned.near.get(), SOL_SOCKET, SO_RCVBUF), 40'000);
  char congestion[16] = {};
  socklen_t size = sizeof congestion;
  ::getsockopt(tuned.near.get(), IPPROTO_TCP, TCP_CONGESTION, congestion, &size);
  EXPECT_STREQ(congestion, "reno");
}

TEST(Listener, NamesTheCallAndTheAddressThatIsInUse) {
  const Listener first = listen_anywhere();
  const std::string address = first.address().to_string();
  try {
    const Listener second(first.address(), {});
    FAIL() << "two listeners have " << address;
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.what(), "bind " + address + ": Address already in use");
  }
}

TEST(Listener, NamesTheOptionThatTheKernelDoesNotKnow) {
  try {
    listen_anywhere({.socket = {.congestion = "none-such"}});
    FAIL() << "there is no such congestion control";
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("TCP_CONGESTION 'none-such'"), std::string::npos);
  }
}

TEST(Listener, SharesItsPortOnlyWithThoseThatShareTheirs) {
  const Listener first = listen_anywhere({.share_port = true});
  EXPECT_NO_THROW(Listener(first.address(), {.share_port = true}));
  EXPECT_THROW(Listener(first.address(), {}), std::system_error);
}

TEST(Listener, LetsOthersJoinThePortThatItFoundedAndFoundsNoneThatIsTaken) {
  const ListenOptions founding = {.share_port = true, .found_port = true};
  const Listener first = listen_anywhere(founding);
  const Listener second(first.address(), {.share_port = true});
  EXPECT_THROW(Listener(first.address(), founding), std::system_error);
  std::vector<OwnedFd> peers;
  for (int i = 0; i < 100; ++i) peers.push_back(connect_to(first.address()));
  EXPECT_EQ(waiting_at(first.fd()) + waiting_at(second.fd()), 100);
  EXPECT_GT(waiting_at(first.fd()), 0);
  EXPECT_GT(waiting_at(second.fd()), 0);
}

TEST(Listener, KnowsHowManyWait) {
  const Listener listener = listen_anywhere();
  EXPECT_EQ(waiting_at(listener.fd()), 0);
  const OwnedFd first = connect_to(listener.address());
  const OwnedFd second = connect_to(listener.address());
  EXPECT_EQ(waiting_at(listener.fd()), 2);
  const Accepted accepted = listener.accept(AcceptMode::nonblocking);
  EXPECT_EQ(waiting_at(listener.fd()), 1);
}

TEST(Listener, RefusesThoseThatConnectAfterItsClosing) {
  Listener listener = listen_anywhere();
  const Address address = listener.address();
  listener.close();
  EXPECT_THROW(connect_to(address), std::system_error);
}

TEST(Listener, SaysThatDescriptorsHaveRunOutAndAcceptsWhenTheyAreBack) {
  const Listener listener = listen_anywhere();
  const OwnedFd peer = connect_to(listener.address());
  {
    const NoDescriptorsLeft limit;
    EXPECT_EQ(listener.accept(AcceptMode::nonblocking).status, Accepted::Status::no_descriptors);
  }
  EXPECT_EQ(listener.accept(AcceptMode::nonblocking).status, Accepted::Status::connection);
}

}  // namespace
}  // namespace serverlab
