// Accepting in batches: so many and no more, so that connections get a turn between.

#include "engines/connections/accepting.h"

#include "tests/net/loopback.h"

#include <gtest/gtest.h>
#include <vector>

namespace serverlab {
namespace {

class AcceptingTest : public testing::Test {
 protected:
  AcceptingTest() {
    for (int i = 0; i < 5; ++i) peers_.push_back(connect_to(listener_.address()));
  }

  std::size_t accepted_by(int limit) {
    std::vector<OwnedFd> accepted;
    accept_batch(terms_, listener_, AcceptMode::nonblocking, limit,
                 [&](OwnedFd socket) { accepted.push_back(std::move(socket)); });
    return accepted.size();
  }

  const ServeOptions terms_;
  Listener listener_ = listen_anywhere();
  std::vector<OwnedFd> peers_;
};

TEST_F(AcceptingTest, TakesNoMoreThanABatchAndThenTheRest) {
  EXPECT_EQ(accepted_by(3), 3U);
  EXPECT_EQ(accepted_by(3), 2U);
  EXPECT_EQ(accepted_by(3), 0U);
}

TEST_F(AcceptingTest, TakesThoseThatWaitNowBeforeAStop) {
  std::vector<OwnedFd> accepted;
  accept_waiting(terms_, listener_, AcceptMode::nonblocking, [&](OwnedFd socket) {
    accepted.push_back(std::move(socket));
    peers_.push_back(connect_to(listener_.address()));  // there is always one more
  });
  EXPECT_EQ(accepted.size(), 5U);
}

}  // namespace
}  // namespace serverlab
