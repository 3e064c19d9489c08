// The pollers through one suite: they are the same concept, so they keep the same promises.

#include "base/owned_fd.h"
#include "base/syscall.h"
#include "net/epoll.h"
#include "net/poll_set.h"
#include "net/select_set.h"
#include "tests/net/loopback.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <sys/eventfd.h>

namespace serverlab {
namespace {

constexpr Interest reading = {.read = true};
constexpr Interest writing = {.write = true};
constexpr Duration at_once = Duration::zero();

/// A descriptor whose readiness the test decides: always writable, readable from `fill` to `drain`.
class Source {
 public:
  int fd() const { return fd_.get(); }
  void fill() const { check(::eventfd_write(fd(), 1), "eventfd_write"); }
  void drain() const {
    eventfd_t count = 0;
    check(::eventfd_read(fd(), &count), "eventfd_read");
  }

 private:
  OwnedFd fd_{check(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")};
};

template <Poller P>
class PollerTest : public testing::Test {
 protected:
  // The readiness of each reported descriptor.
  std::map<int, Interest> wait(Duration limit = at_once) {
    std::map<int, Interest> by_fd;
    for (const Ready& one : poller.wait(limit)) {
      EXPECT_FALSE(by_fd.contains(one.fd)) << "reported twice in one wait";
      by_fd[one.fd] = {.read = one.readable, .write = one.writable};
    }
    return by_fd;
  }

  P poller;
};

using Reported = std::map<int, Interest>;
using Pollers = testing::Types<Epoll, PollSet, SelectSet>;

struct PollerNames {
  template <class P>
  static std::string GetName(int) {
    if (std::is_same_v<P, Epoll>) return "Epoll";
    return std::is_same_v<P, PollSet> ? "PollSet" : "SelectSet";
  }
};
TYPED_TEST_SUITE(PollerTest, Pollers, PollerNames);

TYPED_TEST(PollerTest, ReportsNothingWhenNothingIsReadyAndTheLimitHasPassed) {
  const Source source;
  this->poller.add(source.fd(), reading);
  EXPECT_EQ(this->wait(std::chrono::milliseconds(1)), Reported{});
}

TYPED_TEST(PollerTest, ReportsWhatCanBeReadAndNothingElse) {
  const Source silent;
  const Source speaking;
  this->poller.add(silent.fd(), reading);
  this->poller.add(speaking.fd(), reading);
  speaking.fill();
  EXPECT_EQ(this->wait(wait_forever), (Reported{{speaking.fd(), reading}}));
}

TYPED_TEST(PollerTest, ReportsAgainUntilWhatIsReadyIsRead) {
  const Source source;
  this->poller.add(source.fd(), reading);
  source.fill();
  EXPECT_EQ(this->wait().size(), 1U);
  EXPECT_EQ(this->wait().size(), 1U);
  source.drain();
  EXPECT_EQ(this->wait().size(), 0U);
}

TYPED_TEST(PollerTest, ReportsOnlyWhatIsOfInterest) {
  const Source source;
  source.fill();
  this->poller.add(source.fd(), writing);
  EXPECT_EQ(this->wait(), (Reported{{source.fd(), writing}}));
  this->poller.change(source.fd(), {});
  EXPECT_EQ(this->wait(), Reported{});
  this->poller.change(source.fd(), reading);
  EXPECT_EQ(this->wait(), (Reported{{source.fd(), reading}}));
  this->poller.change(source.fd(), {.read = true, .write = true});
  EXPECT_EQ(this->wait(), (Reported{{source.fd(), {.read = true, .write = true}}}));
}

TYPED_TEST(PollerTest, ForgetsWhatIsRemovedAndKeepsTheOthers) {
  const std::vector<Source> sources(5);
  for (const Source& source : sources) {
    source.fill();
    this->poller.add(source.fd(), reading);
  }
  for (const std::size_t removed : {0U, 4U, 2U}) this->poller.remove(sources[removed].fd());
  EXPECT_EQ(this->wait(), (Reported{{sources[1].fd(), reading}, {sources[3].fd(), reading}}));
}

TYPED_TEST(PollerTest, TakesADescriptorAgainThatWasRemovedWithoutInterest) {
  const Source source;
  const Source other;
  source.fill();
  this->poller.add(source.fd(), reading);
  this->poller.add(other.fd(), reading);
  this->poller.change(source.fd(), {});
  this->poller.remove(source.fd());
  EXPECT_EQ(this->wait(), Reported{});
  this->poller.add(source.fd(), reading);
  EXPECT_EQ(this->wait(), (Reported{{source.fd(), reading}}));
}

TYPED_TEST(PollerTest, ReportsAFailedConnectionAsWhateverIsOfInterest) {
  TcpPair pair = tcp_pair();
  this->poller.add(pair.near.get(), reading);
  reset(std::move(pair.far));
  EXPECT_TRUE(this->wait(wait_forever).at(pair.near.get()).read);
  this->poller.change(pair.near.get(), writing);
  EXPECT_TRUE(this->wait(wait_forever).at(pair.near.get()).write);
}

TYPED_TEST(PollerTest, ReportsTheEndOfAStreamAsReadable) {
  const TcpPair pair = tcp_pair();
  this->poller.add(pair.near.get(), reading);
  ::shutdown(pair.far.get(), SHUT_WR);
  EXPECT_EQ(this->wait(wait_forever), (Reported{{pair.near.get(), reading}}));
}

TYPED_TEST(PollerTest, BringsAllThatAreReadyHoweverMany) {
  const std::vector<Source> sources(600);
  for (const Source& source : sources) {
    source.fill();
    this->poller.add(source.fd(), reading);
  }
  std::set<int> reported;
  for (int waits = 0; waits < 3; ++waits) {
    for (const auto& [fd, _] : this->wait()) reported.insert(fd);
  }
  EXPECT_EQ(reported.size(), sources.size());
}

TYPED_TEST(PollerTest, AgreesWithABookOfItsOwnThroughManyRandomChanges) {
  std::mt19937 random(1);
  const std::vector<Source> sources(40);
  std::map<int, bool> filled;
  std::map<int, Interest> book;
  for (int step = 0; step < 5'000; ++step) {
    const Source& source = sources[random() % sources.size()];
    const int fd = source.fd();
    const Interest interest = {.read = random() % 2 == 0, .write = random() % 8 == 0};
    if (random() % 3 == 0) {
      filled[fd] ? source.drain() : source.fill();
      filled[fd] = !filled[fd];
    } else if (!book.contains(fd)) {
      this->poller.add(fd, interest);
      book[fd] = interest;
    } else if (random() % 2 == 0) {
      this->poller.change(fd, interest);
      book[fd] = interest;
    } else {
      this->poller.remove(fd);
      book.erase(fd);
    }
    Reported expected;
    for (const auto& [known, wanted] : book) {
      const Interest is = {.read = wanted.read && filled[known], .write = wanted.write};
      if (is != Interest{}) expected[known] = is;
    }
    ASSERT_EQ(this->wait(), expected) << "after step " << step;
  }
}

TEST(SelectSet, RefusesADescriptorThatItsSetsCannotHold) {
  SelectSet poller;
  EXPECT_THROW(poller.add(1024, reading), std::system_error);
  EXPECT_THROW(poller.add(5000, reading), std::system_error);
}

// EPOLLEXCLUSIVE and its kind are refused in silence where what epoll_ctl returns is not looked at.
TEST(Epoll, NamesTheCallThatTheKernelRefuses) {
  Epoll poller;
  try {
    poller.change(0, reading);
    FAIL() << "it had not been added";
  } catch (const std::system_error& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("epoll_ctl MOD")) << error.what();
  }
}

TEST(PollSet, SaysNothingOfAHangUpWithoutInterest) {
  TcpPair pair = tcp_pair();
  PollSet poller;
  poller.add(pair.near.get(), reading);
  poller.change(pair.near.get(), {});
  reset(std::move(pair.far));
  EXPECT_TRUE(poller.wait(std::chrono::milliseconds(1)).empty());
}

}  // namespace
}  // namespace serverlab
