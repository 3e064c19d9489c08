// Engines of one loop: no connection waits for more than one turn of another, however much that
// one has to say.

#include "engines/catalog.h"
#include "tests/engines/running_engine.h"
#include "tests/engines/sessions.h"
#include "tests/net/loopback.h"

#include <gtest/gtest.h>
#include <semaphore>

namespace serverlab {
namespace {

class Turns : public testing::TestWithParam<std::string_view> {};

INSTANTIATE_TEST_SUITE_P(Of, Turns,
                         testing::Values("select", "poll", "epoll-level", "epoll-edge",
                                         "epoll-spin"),
                         by_engine);

/// What was said, in the order in which the loop came to it. While it is held at a '?', others can
/// say what they have to say, and the loop will find all of it at once.
class Held {
 public:
  AnySession session() {
    return ScriptedSession{[this](ByteView input, Bytes& output) {
      said_ += text_of(input);
      if (text_of(input) == "?") {
        is_held_.release();
        EXPECT_TRUE(is_let_go_.try_acquire_for(patience));
      }
      output.append(input);
      return Progress{input.size(), Next::read_more};
    }};
  }

  void await() { EXPECT_TRUE(is_held_.try_acquire_for(patience)); }

  void let_go() { is_let_go_.release(); }

  const std::string& said() const { return said_; }

 private:
  std::binary_semaphore is_held_{0};
  std::binary_semaphore is_let_go_{0};
  std::string said_;
};

TEST_P(Turns, OfOneThatSpeaksAndSpeaksLeaveEveryOtherItsOwn) {
  Held held;
  ServeOptions options = default_options();
  options.read_buffer_bytes = 1;
  RunningEngine engine(*find_engine(GetParam()), [&] { return held.session(); }, options);
  const OwnedFd holder = connect_to(engine.address());
  const OwnedFd talker = connect_to(engine.address());
  const OwnedFd other = connect_to(engine.address());
  for (const OwnedFd* peer : {&talker, &other}) {
    say(peer->get(), ".");
    EXPECT_EQ(hear(peer->get(), 1), ".");
  }
  say(holder.get(), "?");
  held.await();
  say(talker.get(), std::string(1'000, 't'));
  say(other.get(), "ooo");
  held.let_go();
  EXPECT_EQ(hear(other.get(), 3), "ooo");
  EXPECT_EQ(hear(talker.get(), 1'000), std::string(1'000, 't'));
  engine.stop();
  EXPECT_LT(held.said().rfind('o'), 12U) << held.said();
}

}  // namespace
}  // namespace serverlab
