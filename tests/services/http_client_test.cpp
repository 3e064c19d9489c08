// The http client against replies of all sorts, right and wrong.

#include "services/http/client.h"
#include "services/http/http.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace serverlab {
namespace {

AnyClient open_client(std::string_view path = "/") {
  Settings settings;
  settings.add(http::workload_settings());
  settings.set("http-path", path);
  return http::workload(settings).open(0);
}

// What the client thinks of replies that come `chunk_bytes` at a time, up to the first fault.
std::vector<Verdict> verdicts(AnyClient client, std::string_view replies, std::size_t chunk_bytes) {
  std::vector<Verdict> verdicts;
  Bytes unchecked;
  while (!replies.empty() || !unchecked.empty()) {
    const std::string_view chunk = replies.substr(0, chunk_bytes);
    replies.remove_prefix(chunk.size());
    unchecked.append(chunk);
    const Checked checked = client.check(unchecked.view());
    unchecked.consume(checked.consumed);
    if (checked.verdict == Verdict::need_more) {
      if (chunk.empty()) break;
      continue;
    }
    verdicts.push_back(checked.verdict);
    if (checked.verdict != Verdict::correct) break;
  }
  return verdicts;
}

using Verdicts = std::vector<Verdict>;

void expect_all(std::string_view path, std::string_view replies, const Verdicts& expected) {
  for (const std::size_t chunk_bytes : {std::size_t{1}, std::size_t{7}, replies.size()}) {
    EXPECT_EQ(verdicts(open_client(path), replies, chunk_bytes), expected) << replies;
  }
}

constexpr std::string_view greeting = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!";

TEST(HttpClient, AsksForItsPath) {
  Bytes output;
  open_client("/bytes/5").request(output);
  EXPECT_EQ(text_of(output.view()), "GET /bytes/5 HTTP/1.1\r\nHost: serverlab\r\n\r\n");
}

TEST(HttpClient, TakesReplyAfterReply) {
  expect_all("/", fmt::format("{0}{0}{0}", greeting), Verdicts(3, Verdict::correct));
}

TEST(HttpClient, TakesTheHeadsOfOtherServers) {
  for (const std::string_view fields :
       {"Server: nginx/1.22.1\r\nDate: x\r\nContent-Length: 13\r\nConnection: keep-alive",
        "content-length:13", "CONTENT-LENGTH: \t13 \t"}) {
    const std::string reply = fmt::format("HTTP/1.1 200 OK\r\n{}\r\n\r\nHello, World!", fields);
    expect_all("/", reply, {Verdict::correct});
  }
  expect_all("/", "HTTP/1.0 200 \r\nContent-Length: 13\r\n\r\nHello, World!", {Verdict::correct});
}

TEST(HttpClient, ChecksEveryByte) {
  const std::uint64_t size = 150'000;
  std::string reply = fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", size);
  const std::size_t head_bytes = reply.size();
  for (std::uint64_t i = 0; i < size;) {
    const ByteView piece = http_bytes(i, size - i);
    reply += text_of(piece);
    i += piece.size();
  }
  EXPECT_EQ(verdicts(open_client("/bytes/150000"), reply, 4096), Verdicts{Verdict::correct});
  for (const std::size_t place : {head_bytes, head_bytes + 70'000, reply.size() - 1}) {
    std::string wrong = reply;
    wrong[place] = '\x7f';
    EXPECT_EQ(verdicts(open_client("/bytes/150000"), wrong, 4096),
              Verdicts{Verdict::wrong_content});
  }
}

TEST(HttpClient, TakesNoContentForAnEmptyOne) {
  expect_all("/bytes/0", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", {Verdict::correct});
}

TEST(HttpClient, FindsAReplyThatIsAnother) {
  for (const std::string_view reply :
       {"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, world!",
        "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\nHello, World",
        "HTTP/1.1 404 Not Found\r\nContent-Length: 13\r\n\r\nHello, World!",
        "HTTP/1.1 2000 OK\r\nContent-Length: 13\r\n\r\nHello, World!"}) {
    expect_all("/", reply, {Verdict::wrong_content});
  }
}

TEST(HttpClient, FindsWhatIsNoReplyOrHasNoEndThatItKnows) {
  for (const std::string_view reply :
       {"HTTQ", "SSH-2.0-x\r\n", "hello", "HTTP/2.0 200 OK\r\n", "HTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -13\r\n\r\n", "HTTP/1.1\r\nContent-Length 13\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 13\r\nContent-Length: 13\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 13\r\n\r\n"}) {
    expect_all("/", reply, {Verdict::protocol_error});
  }
  const std::string endless = fmt::format("HTTP/1.1 200 OK\r\nA: {:a>20000}", "");
  expect_all("/", endless, {Verdict::protocol_error});
}

TEST(HttpClient, WaitsForWhatMayStillCome) {
  for (std::size_t size = 0; size < greeting.size(); ++size) {
    EXPECT_EQ(verdicts(open_client(), greeting.substr(0, size), 1000), Verdicts()) << size;
  }
}

TEST(HttpWorkload, TakesNoPathWhoseContentItDoesNotKnow) {
  for (const std::string_view path :
       {"", "/echo", "/x", "/bytes/x", "http://x/", "/?a b", "/bytes/1073741825", "/?\r\nA: b"}) {
    EXPECT_THROW(open_client(path), BadSetting) << path;
  }
}

}  // namespace
}  // namespace serverlab
