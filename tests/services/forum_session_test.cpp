// The forum's session: the course's conversations in every feeding and framing, and whatever comes
// instead of a request.

#include "services/forum/forum.h"
#include "services/forum/session.h"
#include "tests/services/feeding.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace serverlab::forum {
namespace {

const std::string nul(1, '\0');
const std::string endings[] = {nul, "\n", "\r\n"};

using Given = std::vector<std::pair<std::string_view, std::string_view>>;

Service forum_with(const Given& given) {
  Settings settings;
  settings.add(service_settings());
  for (const auto& [name, value] : given) settings.set(name, value);
  return service(settings);
}

/// Opens sessions of forums that are empty.
Open open_forum(const Given& given = {}) {
  return [given] { return forum_with(given).open({}); };
}

struct Line {
  std::string request;
  std::string reply;
};

std::vector<Exchange> in_lines(const std::vector<Line>& lines, const std::string& ending) {
  std::vector<Exchange> conversation;
  for (const Line& line : lines) {
    conversation.push_back({line.request + ending, line.reply + ending, line.request == "EXIT"});
  }
  return conversation;
}

// The course's verifier, on an empty forum.
const std::vector<Line> verifier = {
    {"LIST", ""},
    {"COUNT@abc", "0"},
    {"READ@def#1", ""},
    {"POST@abc#qwerty", "0"},
    {"LIST", "@abc"},
    {"COUNT@abc", "1"},
    {"READ@abc#0", "qwerty"},
    {"READ@abc#1", ""},
    {"POST@abc#asdfg", "1"},
    {"COUNT@abc", "2"},
    {"COUNT@def", "0"},
    {"READ@abc#1", "asdfg"},
    {"POST@def#zxcvb", "0"},
    {"LIST", "@abc#@def"},
    {"READ@def#0", "zxcvb"},
    {"EXIT", "TERMINATING"},
};

class ForumSessionOf : public testing::TestWithParam<Given> {};

TEST_P(ForumSessionOf, PassesTheCoursesVerifierInEveryFraming) {
  for (const std::string& ending : endings) {
    EXPECT_EQ(faults(open_forum(GetParam()), in_lines(verifier, ending)), none);
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, ForumSessionOf,
                         testing::Values(Given{}, Given{{"forum-lock", "mutex"}},
                                         Given{{"forum-lock", "exclusive"}},
                                         Given{{"forum-parser", "regex-once"}}));

// It makes its expressions anew for each line: under a sanitizer one framing takes ten seconds.
TEST(ForumSession, PassesTheCoursesVerifierWithExpressionsOfEachLine) {
  EXPECT_EQ(faults(open_forum({{"forum-parser", "regex"}}), in_lines(verifier, "\n")), none);
}

TEST(ForumSession, AnswersEachLineInItsOwnFraming) {
  const std::vector<Exchange> conversation = {
      {"POST@a#x\n", "0\n"},     {"READ@a#0" + nul, "x" + nul},
      {"COUNT@a\r\n", "1\r\n"},  {"LIST\n", "@a\n"},
      {"AAA" + nul, nul},        {"AAA\r\n", "\r\n"},
      {"READ@a#0\r" + nul, nul}, {"POST@b#y\r" + nul, nul},
      {"COUNT@b\n", "0\n"},      {"EXIT\r\n", "TERMINATING\r\n", true}};
  EXPECT_EQ(faults(open_forum(), conversation), none);
}

TEST(ForumSession, CutsTopicsAndMessagesAt140Bytes) {
  const std::string topic = fmt::format("@{:t>139}", "");
  const std::string message(140, 'm');
  const std::vector<Line> lines = {
      {fmt::format("POST{}#{}", topic, message), "0"},
      {fmt::format("POST{}t#{}m", topic, message), "1"},
      {fmt::format("POST@{:t>5000}#{:m>9000}", "", ""), "2"},
      {fmt::format("READ{}#1", topic), message},
      {fmt::format("READ{}tail#2", topic), message},
      {fmt::format("COUNT{}tail", topic), "3"},
      {fmt::format("COUNT{}", topic.substr(0, 139)), "0"},
      {"LIST", topic},
  };
  EXPECT_EQ(faults(open_forum(), in_lines(lines, "\n")), none);
}

TEST(ForumSession, AnswersWhatIsNoRequestWithABlankLine) {
  const std::string requests[] = {"",
                                  "AAA",
                                  "post@a#b",
                                  "POST@a#",
                                  "POST@a",
                                  "POSTa#b",
                                  "READ@a#-0",
                                  "READ@a#+0",
                                  "READ@a#0 ",
                                  "READ@a#0x0",
                                  "READ@a",
                                  "COUNT",
                                  "COUNT@a#0",
                                  "LIST ",
                                  " LIST",
                                  "EXIT now",
                                  "READ@a#\xc2\xb2",
                                  "\xff\xfe\x01",
                                  "GET / HTTP/1.1",
                                  "*1\r$4\rPING",
                                  "READ@a#4294967296",
                                  "READ@a#18446744073709551615",
                                  "READ@a#18446744073709551616",
                                  fmt::format("READ@a#{:9>5000}", ""),
                                  std::string(5'000, '@'),
                                  std::string(5'000, '#')};
  std::vector<Line> lines = {{"POST@a#kept", "0"}};
  for (const std::string& request : requests) lines.push_back({request, ""});
  lines.push_back({"READ@a#00000000000000000000000", "kept"});
  lines.push_back({"COUNT@a", "1"});
  for (const std::string parser : {"prefix", "regex-once"}) {
    EXPECT_EQ(faults(open_forum({{"forum-parser", parser}}), in_lines(lines, "\n")), none);
  }
}

TEST(ForumSession, TakesANulWithinALineForItsEnd) {
  EXPECT_EQ(faults(open_forum(), {{"POST@a#b" + nul + "c\n", "0" + nul + "\n"},
                                  {"READ@a#0\n", "b\n"},
                                  {nul + nul + "\n", nul + nul + "\n"}}),
            none);
}

TEST(ForumSession, TakesALineOfTheGreatestLengthAndNoLongerOne) {
  const std::string head = "POST@a#";
  const std::string longest = head + std::string(line_bytes_max - head.size(), 'x');
  const std::string stored(140, 'x');
  for (const std::string& ending : endings) {
    std::string fitting = longest;
    if (ending == "\r\n") fitting.pop_back();
    EXPECT_EQ(faults(open_forum(), in_lines({{fitting, "0"},
                                             {fitting + "x", ""},
                                             {fitting + std::string(200'000, 'x'), ""},
                                             {"COUNT@a", "1"},
                                             {"READ@a#0", stored}},
                                            ending)),
              none);
  }
}

TEST(ForumSession, LetsNothingPileUp) {
  for (const std::string chunk : {"x", "\r", "POST@a#b", "LIST\n", "a line\r\n"}) {
    EXPECT_EQ(faults_without_end(open_forum(), chunk, line_bytes_max + chunk.size()), none);
  }
}

TEST(ForumSession, RepliesNothingToALineWithoutAnEnd) {
  AnySession session = open_forum()();
  Bytes output;
  EXPECT_EQ(session.advance(bytes_of("LIST"), output).consumed, 0U);
  EXPECT_TRUE(output.empty());
}

TEST(ForumSession, SaysNothingAfterItsFarewell) {
  AnySession session = open_forum()();
  Bytes output;
  const Progress progress = session.advance(bytes_of("EXIT\nLIST\nPOST@a#b\n"), output);
  EXPECT_EQ(progress.next, Next::close);
  EXPECT_EQ(progress.requests, 1U);
  EXPECT_EQ(text_of(output.view()), "TERMINATING\n");
}

TEST(ForumSession, CountsTheLinesThatItHasAnswered) {
  AnySession session = open_forum()();
  Bytes output;
  EXPECT_EQ(session.advance(bytes_of("LIST\nAAA\nCOUNT@a\nLI"), output).requests, 3U);
  EXPECT_EQ(session.advance(bytes_of("LIST\n"), output).requests, 1U);
}

// A forum with so many topics that their list is longer than a call's output.
class ForumOfManyTopics : public testing::TestWithParam<std::string_view> {
 protected:
  static constexpr int topics = 5'000;

  void SetUp() override {
    AnySession session = service_.open({});
    Bytes output;
    for (int i = 0; i < topics; ++i) {
      session.advance(bytes_of(fmt::format("POST@{:0>100}#x\n", i)), output);
      output.clear();
    }
  }

  Service service_ = forum_with({{"forum-lock", GetParam()}});
};

TEST_P(ForumOfManyTopics, ListsThemAllAndNeverMuchAtOnce) {
  constexpr std::size_t much_bytes = (64 << 10) + 1000;
  AnySession session = service_.open({});
  std::string listed;
  std::size_t calls = 0;
  Bytes output;
  Progress progress = session.advance(bytes_of("LIST\n"), output);
  for (; progress.next == Next::flush; ++calls) {
    EXPECT_LT(output.size(), much_bytes);
    listed += text_of(output.view());
    output.clear();
    progress = session.advance({}, output);
  }
  listed += text_of(output.view());
  EXPECT_GE(calls, std::size_t{topics} * 101 / much_bytes);
  EXPECT_EQ(listed.size(), std::size_t{topics} * 102);
  EXPECT_EQ(std::ranges::count(listed, '@'), topics);
  EXPECT_EQ(listed.substr(0, 2), "@0");
  EXPECT_EQ(listed.back(), '\n');
}

TEST_P(ForumOfManyTopics, BoundsWhatManySmallRequestsAskFor) {
  AnySession session = service_.open({});
  std::string requests;
  for (int i = 0; i < 50; ++i) requests += "LIST\nCOUNT@a\n";
  std::size_t replied = 0;
  Next next = Next::flush;
  Bytes output;
  while (next == Next::flush) {
    const Progress progress = session.advance(bytes_of(requests), output);
    requests.erase(0, progress.consumed);
    next = progress.next;
    EXPECT_LT(output.size(), 70'000U);
    replied += output.size();
    output.clear();
  }
  EXPECT_EQ(requests, "");
  EXPECT_EQ(replied, 50U * (topics * 102 + 2));
}

INSTANTIATE_TEST_SUITE_P(Locks, ForumOfManyTopics, testing::Values("shared", "sharded"));

TEST(ForumService, RefusesToPostWhatItCannotHold) {
  const Service service = forum_with({{"forum-capacity", "4 KiB"}});
  AnySession session = service.open({});
  Bytes output;
  std::string replies;
  for (int i = 0; i < 100; ++i) {
    session.advance(bytes_of(fmt::format("POST@a#{:x>140}\n", "")), output);
    replies = std::string(text_of(output.view()));
  }
  EXPECT_TRUE(replies.starts_with("0\n1\n2\n")) << replies;
  EXPECT_TRUE(replies.ends_with("\n\n")) << "it has no end";
  output.clear();
  session.advance(bytes_of("POST@b#x\nREAD@a#0\n"), output);
  EXPECT_EQ(text_of(output.view()), fmt::format("\n{:x>140}\n", ""));
}

TEST(ForumService, StopsItsServerOnlyWhenToldTo) {
  EXPECT_FALSE(forum_with({}).set_stop);
  const Service service = forum_with({{"forum-exit", "stop"}});
  int stops = 0;
  service.set_stop([&stops] { ++stops; });
  AnySession session = service.open({});
  Bytes output;
  session.advance(bytes_of("EXIT now\nLIST\n"), output);
  EXPECT_EQ(stops, 0);
  EXPECT_EQ(session.advance(bytes_of("EXIT\n"), output).next, Next::close);
  EXPECT_EQ(stops, 1);
}

TEST(ForumService, TellsWhatItHolds) {
  const Service service = forum_with({});
  AnySession session = service.open({});
  Bytes output;
  session.advance(bytes_of("POST@a#x\nPOST@a#y\nPOST@b#z\n"), output);
  const Figures expected = {{"topics", 2},          {"messages", 3},
                            {"post_lock_waits", 0}, {"post_lock_wait_s", 0},
                            {"read_lock_waits", 0}, {"read_lock_wait_s", 0}};
  EXPECT_EQ(service.figures(), expected);
}

TEST(Forum, SaysThatPostsOrReadsAreUrgentIfItIsToldSo) {
  EXPECT_FALSE(forum_with({}).urgency) << "then all are alike, and none is looked at";
  const auto urgency = [](std::string_view first, std::string_view input) {
    return forum_with({{"forum-first", first}}).urgency(bytes_of(input));
  };
  EXPECT_GT(urgency("post", "POST@a#text"), urgency("post", "READ@a#0"));
  EXPECT_LT(urgency("read", "POST@a#text"), urgency("read", "READ@a#0"));
  EXPECT_EQ(urgency("read", "LIST"), urgency("read", ""));
}

}  // namespace
}  // namespace serverlab::forum
