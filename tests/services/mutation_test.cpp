// Requests that have been spoilt at random: however they are cut, the session says the same of
// them. A build with assertions also finds what the parser does not expect to be asked.

#include "services/http/http.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace serverlab {
namespace {

constexpr std::string_view conversation =
    "GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n"
    "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello"
    "HEAD /bytes/99 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5;a=\"b\"\r\nhello\r\n0\r\nA: b\r\n\r\n"
    "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    "GET /bytes/70000?x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

// Replaces, drops, doubles or inserts a few characters, of those that mean something.
std::string spoilt(std::mt19937& random) {
  constexpr std::string_view telling = "\r\n\t :;,\"=0159aF/\x01\x7f";
  std::string text(conversation);
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

// All that a session says when it is fed `cut` bytes at a time, and whether it closes.
std::pair<std::string, bool> said(std::string_view input, std::size_t cut) {
  Settings settings;
  settings.add(http::service_settings());
  AnySession session = http::service(settings).open(-1);
  Bytes unconsumed;
  Bytes output;
  bool closed = false;
  while (!input.empty() && !closed) {
    unconsumed.append(input.substr(0, cut));
    input.remove_prefix(std::min(cut, input.size()));
    Next next = Next::flush;
    while (next == Next::flush) {
      const Progress progress = session.advance(unconsumed.view(), output);
      unconsumed.consume(progress.consumed);
      next = progress.next;
    }
    closed = next == Next::close;
  }
  return {std::string(text_of(output.view())), closed};
}

TEST(HttpSession, SaysTheSameOfASpoiltRequestHoweverItIsCut) {
  std::mt19937 random(9112);
  int refused = 0;
  constexpr int attempts = 500;
  for (int i = 0; i < attempts; ++i) {
    const std::string input = spoilt(random);
    const auto whole = said(input, input.size());
    refused += whole.first.contains("HTTP/1.1 400") ? 1 : 0;
    for (const std::size_t cut : {1, 2, 7, 50}) {
      ASSERT_EQ(said(input, cut), whole) << "cut into " << cut << ": " << input;
    }
  }
  EXPECT_GT(refused, attempts / 4) << "hardly any was spoilt";
  EXPECT_LT(refused, attempts) << "none was left to be read";
}

}  // namespace
}  // namespace serverlab
