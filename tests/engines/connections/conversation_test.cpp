// What a conversation offers its session, and when.

#include "engines/connections/conversation.h"

#include "tests/engines/sessions.h"

#include <functional>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace serverlab {
namespace {

/// A session that does what it is told beforehand, and notes what it was offered.
class ConversationTest : public testing::Test {
 protected:
  Next advance(std::string_view arrived) { return conversation.advance(bytes_of(arrived), output); }

  std::vector<Progress> orders;
  std::vector<std::string> offered;
  Bytes output;
  StopSignal stop;
  Conversation conversation{Conversation::no_socket,
                            ScriptedSession{[this](ByteView input, Bytes& replies) {
                              offered.emplace_back(text_of(input));
                              replies.append(".");
                              return orders.at(offered.size() - 1);
                            }},
                            stop};
};

using Offered = std::vector<std::string>;

TEST_F(ConversationTest, OffersEachChunkOnceWhenAllIsConsumed) {
  orders = {{3, Next::read_more}, {2, Next::read_more}};
  EXPECT_EQ(advance("abc"), Next::read_more);
  EXPECT_EQ(advance("de"), Next::read_more);
  EXPECT_EQ(offered, (Offered{"abc", "de"}));
}

TEST_F(ConversationTest, OffersWhatWasLeftOverAgainBeforeWhatCameAfterIt) {
  orders = {{0, Next::read_more}, {1, Next::read_more}, {4, Next::read_more}, {1, Next::read_more}};
  advance("ab");
  advance("c");
  advance("de");
  advance("f");
  EXPECT_EQ(offered, (Offered{"ab", "abc", "bcde", "f"}));
}

TEST_F(ConversationTest, OffersWhatIsLeftOverWhenTheSessionHasMoreToSay) {
  orders = {{1, Next::flush}, {2, Next::flush}, {0, Next::read_more}};
  EXPECT_EQ(advance("abc"), Next::flush);
  EXPECT_EQ(advance(""), Next::flush);
  EXPECT_EQ(advance(""), Next::read_more);
  EXPECT_EQ(offered, (Offered{"abc", "bc", ""}));
}

TEST_F(ConversationTest, PassesOnThatTheSessionCloses) {
  orders = {{0, Next::close}};
  EXPECT_EQ(advance("the rest is of no interest"), Next::close);
}

TEST_F(ConversationTest, AppendsRepliesToWhatIsThereAlready) {
  orders = {{1, Next::read_more}, {1, Next::read_more}};
  output.append("earlier");
  advance("a");
  advance("b");
  EXPECT_EQ(text_of(output.view()), "earlier..");
}

TEST_F(ConversationTest, ClosesSoonAfterAStopThoughMoreAndMoreComes) {
  orders.resize(100, {1, Next::read_more});
  EXPECT_EQ(advance("a"), Next::read_more);
  stop.raise();
  while (offered.size() < orders.size() && advance("b") == Next::read_more) {
  }
  EXPECT_GT(offered.size(), 2);
  EXPECT_LT(offered.size(), 10);
}

TEST_F(ConversationTest, ClosesAfterAStopNotBeforeTheSessionHasSaidAll) {
  orders.resize(20, {0, Next::flush});
  stop.raise();
  for (std::size_t i = 0; i < orders.size(); ++i) EXPECT_EQ(advance(""), Next::flush);
}

TEST(ConversationDeathTest, IsAdvancedByOneThreadAtATime) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  StopSignal stop;
  std::function<void()> meanwhile;
  const auto advance = [&](Conversation& conversation, std::string_view arrived) {
    Bytes output;
    conversation.advance(bytes_of(arrived), output);
  };
  Conversation conversation(Conversation::no_socket, ScriptedSession{[&](ByteView input, Bytes&) {
                              if (text_of(input) == "outer") meanwhile();
                              return Progress{input.size(), Next::read_more};
                            }},
                            stop);
  meanwhile = [&] { std::jthread([&] { advance(conversation, "inner"); }).join(); };
  EXPECT_DEBUG_DEATH(advance(conversation, "outer"), "is_taken_already");
}

}  // namespace
}  // namespace serverlab
