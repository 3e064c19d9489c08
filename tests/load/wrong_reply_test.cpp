// What is shown of a reply that was wrong: bounded, printable, and where it differs.

#include "load/wrong_reply.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

WrongReply of(const ExpectedReply& expected, std::string_view received) {
  return {Instant(), 7, ErrorClass::wrong_content, expected, bytes_of(received)};
}

TEST(WrongReply, IsNoneUntilThereIsOne) {
  EXPECT_TRUE(WrongReply().is_none());
  EXPECT_FALSE(of({}, "").is_none());
}

TEST(WrongReply, ShowsShortTextsWhole) {
  const WrongReply wrong = of({.text = "+OK\r\n", .is_exact = true}, "-ERR no\r\n");
  EXPECT_EQ(wrong.expected(), "+OK\\r\\n");
  EXPECT_EQ(wrong.received(), "-ERR no\\r\\n");
  EXPECT_EQ(wrong.connection(), 7U);
}

TEST(WrongReply, PutsADescriptionOfTheExpectedReplyInBrackets) {
  EXPECT_EQ(of({.text = "a number"}, "x").expected(), "<a number>");
}

TEST(WrongReply, EscapesControlCharacters) {
  const std::string_view received("\x1b[2J\\\0\xff", 7);
  EXPECT_EQ(of({}, received).received(), "\\x1b[2J\\\\\\x00\\xff");
}

TEST(WrongReply, BeginsShortlyBeforeTheFirstDifference) {
  const std::string same(1000, 'a');
  const WrongReply wrong =
      of({.text = same + "right", .is_exact = true}, same + "wrong" + std::string(1000, 'b'));
  EXPECT_EQ(wrong.expected(), "...aaaaaaaaright");
  EXPECT_EQ(wrong.received(), "...aaaaaaaawrong" + std::string(51, 'b') + "...");
}

TEST(WrongReply, ShowsAReplyThatIsCutShort) {
  const std::string whole(100, 'a');
  const WrongReply wrong = of({.text = whole, .is_exact = true}, whole.substr(0, 90));
  EXPECT_EQ(wrong.received(), "...aaaaaaaa");
}

}  // namespace
}  // namespace serverlab
