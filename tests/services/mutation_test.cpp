// Requests that were changed at random: however they are cut, a session says the same of them. A
// build with assertions also finds what a parser does not expect to be asked.

#include "services/catalog.h"
#include "tests/services/feeding.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace serverlab {
namespace {

using std::string_view_literals::operator""sv;

struct Mutated {
  std::string_view service;
  std::string_view conversation;
  std::string_view telling;  // characters that mean something
  std::string_view refusal;  // what the reply to a spoilt request holds

  friend void PrintTo(const Mutated& mutated, std::ostream* to) { *to << mutated.service; }
};

constexpr Mutated all_mutated[] = {
    {"http",
     "GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n"
     "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello"
     "HEAD /bytes/99 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
     "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
     "5;a=\"b\"\r\nhello\r\n0\r\nA: b\r\n\r\n"
     "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
     "GET /bytes/70000?x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"sv,
     "\r\n\t :;,\"=0159aF/\x01\x7f"sv, "HTTP/1.1 400"},
    {"kv-resp",
     "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$11\r\nhello world\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"
     "ECHO \"a \\\"\\x41 b\" 'c\\'d'\r\n*0\r\n\r\nGET k\n*1\r\n$0\r\n\r\nSET '' \"\"\r\n"
     "GET ''\r\n"sv,
     "\r\n $*0123456789-\"'\\ak\x01"sv, "-ERR Protocol error"},
    {"kv-json",
     R"({"key":"k","type":"POST","value":"a \"b\" \\ {c}"} {"key":"k","type":"GET","value":""})"
     R"({"key":7,"type":"POST","value":{"a":[1,{}]}}{"key":"7","type":"GET"})"sv,
     "{}[]\"\\:, 7a\n"sv, R"({"code":400)"},
    {"forum",
     "POST@a#hello\nREAD@a#0\r\nCOUNT@a\0LIST\nPOST@b##@\r\nREAD@b#1\nREAD@b#0\0nothing\n"sv,
     "@#\r\n\0PRCL01"sv, "\n"},
    {"bucket", "3,5\n0,5\n12,31\n0,0\n10,7\n0,7\n"sv, "0123456789,\n -"sv,
     "Request format is incorrect!"},
};

// Replaces, drops, doubles or inserts a few characters.
std::string spoilt(const Mutated& mutated, std::mt19937& random) {
  const std::string_view telling = mutated.telling;
  std::string text(mutated.conversation);
  for (std::size_t i = 1 + random() % 3; i > 0; --i) {
    const std::size_t place = random() % text.size();
    switch (random() % 4) {
      case 0: text[place] = telling[random() % telling.size()]; break;
      case 1: text.erase(place, 1 + random() % 3); break;
      case 2: text.insert(place, text.substr(place, 1 + random() % 60)); break;
      default: text.insert(place, 1, telling[random() % telling.size()]); break;
    }
  }
  return text;
}

Said said_of(std::string_view service, std::string_view input, std::size_t cut) {
  const ServiceRow& row = *find_service(service);
  Settings settings;
  settings.add(row.service_settings);
  std::vector<std::string> chunks;
  for (; !input.empty(); input.remove_prefix(std::min(cut, input.size()))) {
    chunks.emplace_back(input.substr(0, cut));
  }
  return said(row.service(settings).open({}), chunks);
}

class SpoiltRequest : public testing::TestWithParam<Mutated> {};

TEST_P(SpoiltRequest, IsAnsweredTheSameHoweverItIsCut) {
  const Mutated& mutated = GetParam();
  std::mt19937 random(9112);
  int refused = 0;
  constexpr int attempts = 500;
  for (int i = 0; i < attempts; ++i) {
    const std::string input = spoilt(mutated, random);
    const Said whole = said_of(mutated.service, input, input.size());
    refused += whole.replies.contains(mutated.refusal) ? 1 : 0;
    for (const std::size_t cut : {1, 2, 7, 50}) {
      ASSERT_EQ(said_of(mutated.service, input, cut), whole) << "cut into " << cut << ": " << input;
    }
  }
  EXPECT_GT(refused, attempts / 4) << "hardly any was spoilt";
}

INSTANTIATE_TEST_SUITE_P(Services, SpoiltRequest, testing::ValuesIn(all_mutated));

}  // namespace
}  // namespace serverlab
