// The driver of the feedings finds what it is there to find: each session here breaks the contract
// in one way.

#include "tests/services/feeding.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

const std::vector<Exchange> greetings = {
    {"hello\n", "HELLO\n"}, {"you\n", "YOU\n"}, {"there\n", "THERE\n"}, {"bye\n", "BYE\n", true}};

std::string upper(std::string_view text) {
  std::string copy(text);
  for (char& letter : copy) letter = static_cast<char>(std::toupper(letter));
  return copy;
}

/// Replies to each line with its capitals, and closes after "bye": without a fault.
struct Shouting {
  Progress advance(ByteView input, Bytes& output) const {
    const std::string_view text = text_of(input);
    std::size_t consumed = 0;
    for (auto end = text.find('\n'); end != text.npos; end = text.find('\n', consumed)) {
      const std::string_view line = text.substr(consumed, end + 1 - consumed);
      output.append(upper(line));
      consumed = end + 1;
      if (line == "bye\n") return {consumed, Next::close};
    }
    return {consumed, Next::read_more};
  }
};

// The feedings in which a session fails, in the order in which they are tried.
template <class S>
std::vector<std::string> failing(S session) {
  std::vector<std::string> names;
  for (const std::string& fault : faults([session] { return AnySession(session); }, greetings)) {
    names.push_back(fault.substr(0, fault.find(':')));
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Feeding, FindsNoFaultWhereThereIsNone) {
  EXPECT_EQ(faults([] { return Shouting(); }, greetings), none);
}

TEST(Feeding, FindsASessionThatTakesEveryChunkForARequest) {
  struct : Shouting {
    Progress advance(ByteView input, Bytes& output) const {
      Shouting::advance(input, output);
      return {input.size(), text_of(input).ends_with("bye\n") ? Next::close : Next::read_more};
    }
  } session;
  EXPECT_EQ(failing(session), (Names{"by bytes", "with a tail", "cut", "in two"}));
}

TEST(Feeding, FindsASessionThatAnswersOneRequestAChunk) {
  struct : Shouting {
    Progress advance(ByteView input, Bytes& output) const {
      const std::size_t line = text_of(input).find('\n') + 1;
      return Shouting::advance(input.first(line), output);
    }
  } session;
  EXPECT_EQ(failing(session), (Names{"glued", "oversized", "in two"}));
}

TEST(Feeding, LetsASessionSpeakAgainThatHasMoreToSay) {
  struct : Shouting {
    Progress advance(ByteView input, Bytes& output) const {
      const std::size_t line = text_of(input).find('\n') + 1;
      const Progress progress = Shouting::advance(input.first(line), output);
      if (line == 0 || progress.next == Next::close) return progress;
      return {progress.consumed, Next::flush};
    }
  } session;
  EXPECT_EQ(failing(session), Names{});
}

TEST(Feeding, FindsAWrongReply) {
  struct {
    Progress advance(ByteView input, Bytes& output) const {
      output.append(input);
      return {input.size(), Next::read_more};
    }
  } session;
  EXPECT_EQ(failing(session).size(), 7U);
}

TEST(Feeding, FindsASessionThatDoesNotClose) {
  struct : Shouting {
    Progress advance(ByteView input, Bytes& output) const {
      return {Shouting::advance(input, output).consumed, Next::read_more};
    }
  } session;
  EXPECT_EQ(failing(session).size(), 7U);
}

TEST(Feeding, FindsAReplyThatIsSaidTwice) {
  struct : Shouting {
    Progress advance(ByteView input, Bytes& output) const {
      Shouting::advance(input, output);
      return Shouting::advance(input, output);
    }
  } session;
  EXPECT_EQ(failing(session).size(), 7U);
}

TEST(Feeding, FindsInputThatPilesUpWithoutEnd) {
  const auto endless = [](std::string_view chunk) {
    return faults_without_end([] { return Shouting(); }, chunk, 1000);
  };
  EXPECT_EQ(endless("no end of line").size(), 1U);
  EXPECT_EQ(endless("a line\n"), none);
  EXPECT_EQ(endless("bye\n"), none) << "a closed session lets nothing pile up";
}

TEST(Said, IsAllUntilTheSessionCloses) {
  EXPECT_EQ(said(Shouting(), {"you\n", "by", "e\n", "no"}), (Said{"YOU\nBYE\n", true}));
  EXPECT_EQ(said(Shouting(), {"you\n", "by"}), (Said{"YOU\n", false}));
}

TEST(Said, IsCutWhereItIsMoreThanWasAskedFor) {
  EXPECT_EQ(said(Shouting(), {"hello\n", "bye\n"}, 3), (Said{"HEL", false}));
}

TEST(Said, RefusesASessionThatConsumesMoreThanItIsOffered) {
  struct {
    Progress advance(ByteView input, Bytes&) const { return {input.size() + 1}; }
  } session;
  EXPECT_THROW(said(session, {"a"}), std::logic_error);
}

TEST(Said, RefusesASessionThatHasMoreToSayAndSaysNothing) {
  struct {
    Progress advance(ByteView, Bytes&) const { return {0, Next::flush}; }
  } session;
  EXPECT_THROW(said(session, {"a"}), std::logic_error);
}

TEST(Said, RefusesASessionThatTakesBackWhatItSaid) {
  struct {
    Progress advance(ByteView input, Bytes& output) const {
      output.clear();
      if (input.size() == 1) output.append(input);
      return {0};
    }
  } session;
  EXPECT_THROW(said(session, {"a", "b"}), std::logic_error);
}

}  // namespace
}  // namespace serverlab
