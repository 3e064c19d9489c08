// Posters and readers, against a forum that keeps its word and against one that does not.

#include "services/forum/forum.h"
#include "services/forum/poster.h"
#include "services/forum/reader.h"
#include "services/forum/stamp.h"

#include <gtest/gtest.h>
#include <random>

namespace serverlab::forum {
namespace {

using Given = std::vector<std::pair<std::string_view, std::string_view>>;
using Verdicts = std::vector<Verdict>;

Settings settings_of(std::span<const Setting> rows, const Given& given) {
  Settings settings;
  settings.add(rows);
  for (const auto& [name, value] : given) settings.set(name, value);
  return settings;
}

Workload workload_with(const Given& given) {
  return workload(settings_of(workload_settings(), given));
}

// What a client asks next, without its framing.
template <class C>
std::string asked(C& client) {
  Bytes output;
  client.request(output);
  std::string text(text_of(output.view()));
  text.pop_back();
  return text;
}

template <class C>
Verdict told(C& client, std::string_view line) {
  return client.check(bytes_of(std::string(line) + "\n")).verdict;
}

WorkloadOptions options_in_lines() { return {.ending = "\n"}; }

std::string message(std::uint32_t author, std::uint64_t number, std::size_t bytes = 16) {
  std::string text;
  write_message({author, number}, bytes, text);
  return text;
}

TEST(ForumStamp, IsFoundInItsMessageOnly) {
  std::mt19937 random(1);
  std::string scratch;
  for (const std::size_t bytes : {1UL, 16UL, 140UL, 141UL, 1000UL}) {
    for (const Stamp stamp : {Stamp{0, 0}, Stamp{7, 123'456}, Stamp{UINT32_MAX, UINT64_MAX}}) {
      const std::string text = message(stamp.author, stamp.number, bytes).substr(0, 140);
      EXPECT_EQ(stamp_of(text, bytes, scratch), stamp);
      EXPECT_FALSE(stamp_of(text.substr(0, text.size() - 1), bytes, scratch));
      EXPECT_FALSE(stamp_of(text + "x", bytes, scratch));
      std::string changed = text;
      changed[random() % changed.size()] = '!';
      EXPECT_FALSE(stamp_of(changed, bytes, scratch));
    }
  }
  EXPECT_FALSE(stamp_of("", 1, scratch));
  EXPECT_FALSE(stamp_of("1.", 1, scratch));
  EXPECT_FALSE(stamp_of("1.99999999999999999999.", 1, scratch));
}

TEST(ForumPoster, CountsItsTopicFirstAndNumbersItsMessagesFromThereOn) {
  Poster poster(options_in_lines(), 3);
  EXPECT_EQ(asked(poster), "COUNT@Topic3");
  EXPECT_EQ(asked(poster), "COUNT@Topic3");
  EXPECT_EQ(told(poster, "5"), Verdict::correct);
  EXPECT_EQ(asked(poster), "POST@Topic3#" + message(3, 5));
  EXPECT_EQ(told(poster, "5"), Verdict::correct);
  EXPECT_EQ(asked(poster), "POST@Topic3#" + message(3, 6));
  EXPECT_EQ(told(poster, "5"), Verdict::correct);
  EXPECT_EQ(told(poster, "6"), Verdict::correct);
}

TEST(ForumPoster, FindsAnIdThatIsNotTheNextOfItsTopic) {
  for (const std::string_view reply : {"1", "", "-0", "00x", "zero", "18446744073709551616"}) {
    Poster poster(options_in_lines(), 0);
    asked(poster);
    ASSERT_EQ(told(poster, "0"), Verdict::correct);
    asked(poster);
    EXPECT_EQ(told(poster, reply), Verdict::wrong_content) << reply;
  }
}

TEST(ForumPoster, FindsAnIdThatDoesNotGrowInASharedTopic) {
  WorkloadOptions options = options_in_lines();
  options.share_topic = true;
  Poster poster(options, 3);
  EXPECT_EQ(asked(poster), "COUNT@Topic");
  ASSERT_EQ(told(poster, "4"), Verdict::correct);
  for (int i = 0; i < 3; ++i) asked(poster);
  EXPECT_EQ(told(poster, "6"), Verdict::correct);
  EXPECT_EQ(told(poster, "7"), Verdict::correct);
  EXPECT_EQ(told(poster, "7"), Verdict::wrong_content);
  Poster other(options, 4);
  asked(other);
  ASSERT_EQ(told(other, "4"), Verdict::correct);
  asked(other);
  EXPECT_EQ(told(other, "3"), Verdict::wrong_content) << "it was taken before the first post";
}

TEST(ForumPoster, PostsAtOnceIfNothingIsToBeChecked) {
  WorkloadOptions options = options_in_lines();
  options.validate = false;
  Poster poster(options, 3);
  EXPECT_EQ(asked(poster), "POST@Topic3#" + message(3, 0));
  EXPECT_EQ(told(poster, "nonsense"), Verdict::correct);
}

TEST(ForumReader, ReadsTheFirstMessageAgainAndAgain) {
  Reader reader(options_in_lines(), 2);
  for (const std::string& reply : {std::string(), message(2, 0), message(2, 0)}) {
    EXPECT_EQ(asked(reader), "READ@Topic2#0");
    EXPECT_EQ(told(reader, reply), Verdict::correct);
  }
  EXPECT_EQ(told(reader, ""), Verdict::wrong_content) << "it was there before";
}

TEST(ForumReader, FindsTheTextOfAnotherIdOrTopicOrNone) {
  for (const std::string& reply :
       {message(2, 1), message(1, 0), message(2, 0) + "x", message(2, 0, 17), std::string("0")}) {
    Reader reader(options_in_lines(), 2);
    asked(reader);
    EXPECT_EQ(told(reader, reply), Verdict::wrong_content) << reply;
  }
}

TEST(ForumReader, WalksToTheEndAndBeginsAgain) {
  WorkloadOptions options = options_in_lines();
  options.walk = true;
  Reader reader(options, 0);
  std::vector<std::string> requests;
  for (int i = 0; i < 5; ++i) requests.push_back(asked(reader));
  const Verdicts verdicts = {told(reader, message(0, 0)), told(reader, message(0, 1)),
                             told(reader, ""), told(reader, message(0, 3))};
  EXPECT_EQ(verdicts, Verdicts(4, Verdict::correct)) << "ids 2 and 3 came between";
  for (int i = 0; i < 2; ++i) requests.push_back(asked(reader));
  EXPECT_EQ(told(reader, message(0, 4)), Verdict::correct);
  EXPECT_EQ(told(reader, message(0, 0)), Verdict::correct);
  EXPECT_EQ(told(reader, ""), Verdict::wrong_content) << "id 1 was there before";
  EXPECT_EQ(requests, (std::vector<std::string>{"READ@Topic0#0", "READ@Topic0#1", "READ@Topic0#2",
                                                "READ@Topic0#3", "READ@Topic0#4", "READ@Topic0#0",
                                                "READ@Topic0#1"}));
}

Reader walker_of_a_shared_topic() {
  WorkloadOptions options = options_in_lines();
  options.share_topic = options.walk = true;
  return {options, 0};
}

TEST(ForumReader, FindsMessagesOfASharedTopicThatAreOutOfOrder) {
  Reader reader = walker_of_a_shared_topic();
  for (int i = 0; i < 4; ++i) asked(reader);
  EXPECT_EQ(told(reader, message(1, 0)), Verdict::correct);
  EXPECT_EQ(told(reader, message(2, 0)), Verdict::correct);
  EXPECT_EQ(told(reader, message(1, 1)), Verdict::correct);
  EXPECT_EQ(told(reader, message(2, 0)), Verdict::wrong_content) << "it was at id 1";
}

TEST(ForumReader, FindsAMessageOfASharedTopicThatCameTooSoon) {
  Reader reader = walker_of_a_shared_topic();
  asked(reader);
  EXPECT_EQ(told(reader, message(1, 1)), Verdict::wrong_content)
      << "its author counted a message before it";
}

TEST(ForumReader, FindsAFirstMessageThatHasChanged) {
  WorkloadOptions options = options_in_lines();
  options.share_topic = true;
  Reader reader(options, 0);
  for (int i = 0; i < 2; ++i) asked(reader);
  EXPECT_EQ(told(reader, message(1, 0)), Verdict::correct);
  EXPECT_EQ(told(reader, message(2, 0)), Verdict::wrong_content);
}

Reader reader_that_asks_all() {
  WorkloadOptions options = options_in_lines();
  options.ask_all = true;
  Reader reader(options, 1);
  const std::vector<std::string> requests = {asked(reader), asked(reader), asked(reader),
                                             asked(reader)};
  EXPECT_EQ(requests, (std::vector<std::string>{"READ@Topic1#0", "COUNT@Topic1", "LIST", "AAA"}));
  return reader;
}

TEST(ForumReader, AsksEverythingInTurn) {
  for (const std::string_view list : {"@Topic1", "@Topic0#@Topic1", "@Topic1#@Topic2"}) {
    Reader reader = reader_that_asks_all();
    const Verdicts verdicts = {told(reader, ""), told(reader, "3"), told(reader, list),
                               told(reader, "")};
    EXPECT_EQ(verdicts, Verdicts(4, Verdict::correct)) << list;
    asked(reader);
    EXPECT_EQ(told(reader, ""), Verdict::wrong_content) << "it was counted";
  }
}

TEST(ForumReader, FindsACountThatIsTooSmall) {
  Reader reader = reader_that_asks_all();
  ASSERT_EQ(told(reader, message(1, 0)), Verdict::correct);
  EXPECT_EQ(told(reader, "0"), Verdict::wrong_content);
}

TEST(ForumReader, FindsAListWithoutItsTopic) {
  for (const std::string_view list : {"", "@Topic10", "@Topic0#Topic1", "@Topic1#", "#@Topic1"}) {
    Reader reader = reader_that_asks_all();
    told(reader, message(1, 0));
    told(reader, "1");
    EXPECT_EQ(told(reader, list), Verdict::wrong_content) << list;
  }
}

TEST(ForumReader, FindsAnAnswerToWhatIsUnknown) {
  Reader reader = reader_that_asks_all();
  for (const std::string_view line : {"", "0", ""}) told(reader, line);
  EXPECT_EQ(told(reader, "Unknown request!"), Verdict::wrong_content);
}

TEST(ForumWorkload, WaitsForTheRestOfALineAndNotForEver) {
  AnyClient client = workload_with({{"forum-framing", "crlf"}}).open(1);
  Bytes output;
  client.request(output);
  EXPECT_TRUE(text_of(output.view()).ends_with("#0\r\n"));
  EXPECT_EQ(client.check(bytes_of("")).verdict, Verdict::need_more);
  EXPECT_EQ(client.check(bytes_of("0.0.")).verdict, Verdict::need_more);
  EXPECT_EQ(client.check(bytes_of(std::string(140, 'x') + "\r")).verdict, Verdict::need_more);
  const std::string too_long(143, 'x');
  EXPECT_EQ(client.check(bytes_of(too_long)).verdict, Verdict::protocol_error);
  EXPECT_EQ(client.check(bytes_of(too_long + "\r\n")).verdict, Verdict::protocol_error)
      << "with its end, too";
}

TEST(ForumWorkload, GivesEachConnectionItsRole) {
  const auto roles = [](std::string_view posters) {
    const Workload workload =
        workload_with({{"forum-posters", posters}, {"forum-validate", "off"}});
    std::string text;
    for (std::uint32_t connection = 0; connection < 5; ++connection) {
      Bytes output;
      workload.open(connection).request(output);
      text += text_of(output.view()).substr(0, 1);
      text += text_of(output.view()).substr(10, 1);
    }
    return text;
  };
  EXPECT_EQ(roles("half"), "P0R0P1R1P2");
  EXPECT_EQ(roles("2"), "P0P1R0R1R0");
  EXPECT_EQ(roles("0"), "R0R0R0R0R0");
  EXPECT_EQ(roles("5"), "P0P1P2P3P4");
  EXPECT_THROW(roles("some"), BadSetting);
  EXPECT_THROW(roles("-1"), BadSetting);
}

// Both halves together: clients take turns, each with some requests in flight, and every reply is
// right, whatever the settings.
class ForumHalves : public testing::TestWithParam<Given> {};

TEST_P(ForumHalves, AgreeWithEachOther) {
  constexpr std::uint32_t connections = 6;
  constexpr int depth = 3;
  const Service served = service(settings_of(service_settings(), {}));
  const Workload workload = workload_with(GetParam());
  for (int load = 0; load < 2; ++load) {
    std::vector<AnyClient> clients;
    std::vector<AnySession> sessions;
    for (std::uint32_t i = 0; i < connections; ++i) {
      clients.push_back(workload.open(i));
      sessions.push_back(served.open({}));
    }
    for (std::size_t turn = 0; turn < 300 * connections; ++turn) {
      const std::size_t i = turn % connections;
      Bytes requests;
      Bytes replies;
      for (int k = 0; k < depth; ++k) {
        EXPECT_LT(clients[i].request(requests), workload.classes.size());
      }
      ASSERT_EQ(sessions[i].advance(requests.view(), replies).consumed, requests.size());
      for (int k = 0; k < depth; ++k) {
        const Checked checked = clients[i].check(replies.view());
        ASSERT_EQ(checked.verdict, Verdict::correct) << text_of(replies.view());
        replies.consume(checked.consumed);
      }
      ASSERT_TRUE(replies.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, ForumHalves,
    testing::Values(Given{}, Given{{"forum-reads", "walk"}}, Given{{"forum-asks", "all"}},
                    Given{{"forum-topics", "shared"}, {"forum-reads", "walk"}},
                    Given{{"forum-topics", "shared"}, {"forum-asks", "all"}},
                    Given{{"forum-message", "1000 B"}, {"forum-framing", "crlf"}},
                    Given{{"forum-message", "1 B"}, {"forum-posters", "1"}},
                    Given{{"forum-validate", "off"}, {"forum-reads", "walk"}}));

}  // namespace
}  // namespace serverlab::forum
