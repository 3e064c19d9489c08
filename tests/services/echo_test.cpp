// Both halves of echo: the session in every feeding, the client against right and wrong replies.

#include "services/echo/echo.h"

#include "services/catalog.h"
#include "services/echo/client.h"
#include "services/echo/session.h"
#include "tests/services/feeding.h"

#include <gtest/gtest.h>
#include <random>

namespace serverlab {
namespace {

Open open_echo(std::string_view close_after = "0") {
  Settings settings;
  settings.add(echo::service_settings());
  settings.set("close-after", close_after);
  return opening(echo::service(settings));
}

std::string bytes_of_every_value() {
  std::string bytes(256, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i);
  return bytes;
}

TEST(EchoSession, GivesBackWhatItWasGivenInEveryFeeding) {
  std::vector<Exchange> conversation;
  for (const std::string& text :
       {std::string("x"), std::string("hello\r\n"), bytes_of_every_value(),
        std::string(200'000, 'y'), std::string("\0", 1)}) {
    conversation.push_back({text, text});
  }
  EXPECT_EQ(faults(open_echo(), conversation), none);
}

TEST(EchoSession, ClosesAfterSoManyBytesInWhateverPiecesTheyCome) {
  const std::string text = "hello, world";
  for (const std::size_t piece : {1U, 5U, 12U}) {
    EchoSession session(5);
    Bytes output;
    Next next = Next::read_more;
    std::size_t offered = 0;
    for (; next != Next::close && offered < text.size(); offered += piece) {
      const std::string chunk = text.substr(offered, piece);
      next = session.advance(bytes_of(chunk), output).next;
    }
    EXPECT_EQ(next, Next::close);
    EXPECT_EQ(text_of(output.view()), "hello");
    EXPECT_LE(offered, std::max<std::size_t>(piece, 5));
  }
}

TEST(EchoSession, LetsNothingPileUp) {
  EXPECT_EQ(faults_without_end(open_echo(), "without an end", 1000), none);
}

PayloadSizes alike(std::uint32_t bytes) { return {.least = bytes, .most = bytes}; }

// A client's requests, as one text.
std::string requests(EchoClient& client, int count) {
  Bytes output;
  for (int i = 0; i < count; ++i) client.request(output);
  return std::string(text_of(output.view()));
}

std::string request(EchoClient client) { return requests(client, 1); }

// The verdicts on replies that come in chunks of random sizes up to `chunk_max`.
std::vector<Verdict> verdicts(EchoClient& client, std::string_view replies, std::size_t chunk_max,
                              unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Verdict> found;
  while (!replies.empty()) {
    std::string_view chunk = replies.substr(0, 1 + random() % chunk_max);
    replies.remove_prefix(chunk.size());
    while (!chunk.empty()) {
      const Checked checked = client.check(bytes_of(chunk));
      chunk.remove_prefix(checked.consumed);
      if (checked.verdict == Verdict::need_more) {
        EXPECT_TRUE(chunk.empty()) << "it needs more and leaves what it was given";
        break;
      }
      found.push_back(checked.verdict);
      if (checked.verdict != Verdict::correct) return found;
    }
  }
  return found;
}

class EchoClientOf : public testing::TestWithParam<std::uint32_t> {};

TEST_P(EchoClientOf, TakesRightRepliesHoweverTheyAreChopped) {
  constexpr int count = 20;
  for (const std::size_t chunk_max : {1UL, 2UL, 100UL, 20'000UL, 10'000'000UL}) {
    EchoClient client(3, alike(GetParam()));
    const std::string sent = requests(client, count);
    ASSERT_EQ(sent.size(), std::size_t{GetParam()} * count);
    EXPECT_EQ(verdicts(client, sent, chunk_max, 1), std::vector(count, Verdict::correct));
  }
}

TEST_P(EchoClientOf, FindsAWrongByteWhereverItIs) {
  std::mt19937 random(2);
  for (int attempt = 0; attempt < 20; ++attempt) {
    EchoClient client(3, alike(GetParam()));
    std::string reply = requests(client, 1);
    char& byte = reply[attempt == 0 ? reply.size() - 1 : random() % reply.size()];
    byte = static_cast<char>(byte ^ 1 << random() % 8);
    EXPECT_EQ(verdicts(client, reply, 5'000, 3), std::vector{Verdict::wrong_content});
  }
}

// 1 byte; less, exactly and more than a period of the pattern from which payloads are cut.
INSTANTIATE_TEST_SUITE_P(Payloads, EchoClientOf,
                         testing::Values(1, 64, 16'383, 16'384, 16'385, 100'000));

TEST(EchoClient, FindsTheReplyToAnotherRequest) {
  EchoClient client(3, alike(64));
  const std::string sent = requests(client, 3);
  const std::string swapped = sent.substr(64, 64) + sent.substr(0, 64) + sent.substr(128);
  EXPECT_EQ(verdicts(client, swapped, 1000, 1), std::vector{Verdict::wrong_content});
}

TEST(EchoClient, FindsAReplyThatComesTwice) {
  EchoClient client(3, alike(64));
  const std::string first = requests(client, 2).substr(0, 64);
  EXPECT_EQ(verdicts(client, first + first, 1000, 1),
            (std::vector{Verdict::correct, Verdict::wrong_content}));
}

TEST(EchoClient, FindsTheReplyToAnotherConnection) {
  for (const std::uint32_t other : {0U, 2U, 4U, 1000U, 100'000U}) {
    EchoClient client(3, alike(64));
    requests(client, 1);
    EXPECT_EQ(verdicts(client, request(EchoClient(other, alike(64))), 1000, 1),
              std::vector{Verdict::wrong_content})
        << "of connection " << other;
  }
}

TEST(EchoClient, AsksTheSameOnTheSameConnection) {
  EXPECT_EQ(request(EchoClient(7, alike(1000))), request(EchoClient(7, alike(1000))));
}

TEST(EchoClient, AsksInLengthsBetweenTheLeastAndTheMost) {
  constexpr int count = 2000;
  EchoClient client(3, {.least = 10, .most = 19});
  std::string sent;
  std::array<int, 20> lengths{};
  for (int i = 0; i < count; ++i) {
    const std::string one = requests(client, 1);
    ASSERT_GE(one.size(), 10U);
    ASSERT_LE(one.size(), 19U);
    ++lengths[one.size()];
    sent += one;
  }
  for (std::size_t bytes = 10; bytes < 20; ++bytes) EXPECT_NEAR(lengths[bytes], 200, 60) << bytes;
  for (const std::size_t chunk_max : {1UL, 25UL, 100'000UL}) {
    EchoClient again(3, {.least = 10, .most = 19});
    requests(again, count);
    EXPECT_EQ(verdicts(again, sent, chunk_max, 1), std::vector(count, Verdict::correct));
  }
  EXPECT_NE(request(EchoClient(4, {.least = 1, .most = 1'000'000})).size(),
            request(EchoClient(5, {.least = 1, .most = 1'000'000})).size());
}

TEST(EchoWorkload, TakesItsPayloadFromTheSettings) {
  Settings settings;
  settings.add(echo::workload_settings());
  settings.set("payload", "1 KiB");
  Bytes output;
  echo::workload(settings).open(0).request(output);
  EXPECT_EQ(output.size(), 1024U);
  settings.set("payload-max", "2 KiB");
  output.clear();
  echo::workload(settings).open(0).request(output);
  EXPECT_GT(output.size(), 1024U);
  EXPECT_LE(output.size(), 2048U);
  settings.set("payload-max", "1 KB");
  EXPECT_THROW(echo::workload(settings), BadSetting) << "the most is below the least";
  settings.set("payload-max", "0");
  settings.set("payload", "0");
  EXPECT_THROW(echo::workload(settings), BadSetting);
}

}  // namespace
}  // namespace serverlab
