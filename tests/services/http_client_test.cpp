// The http client against replies of all sorts, right and wrong.

#include "services/http/client.h"
#include "services/http/http.h"

#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>

namespace serverlab {
namespace {

using Given = std::map<std::string, std::string>;

AnyClient open_client(const Given& given) {
  Settings settings;
  settings.add(http::workload_settings());
  for (const auto& [name, value] : given) settings.set(name, value);
  return http::workload(settings).open(0);
}

AnyClient open_client(const std::string& path = "/") { return open_client({{"http-path", path}}); }

std::string request_of(const Given& given) {
  Bytes output;
  open_client(given).request(output);
  return std::string(text_of(output.view()));
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

void expect_all(const Given& given, std::string_view replies, const Verdicts& expected) {
  for (const std::size_t chunk_bytes : {std::size_t{1}, std::size_t{7}, replies.size()}) {
    EXPECT_EQ(verdicts(open_client(given), replies, chunk_bytes), expected) << replies;
  }
}

void expect_all(const std::string& path, std::string_view replies, const Verdicts& expected) {
  expect_all(Given{{"http-path", path}}, replies, expected);
}

std::string with_length(std::string_view content, std::string_view status = "200 OK") {
  return fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status, content.size(),
                     content);
}

std::string in_chunks(std::string_view chunks) {
  return fmt::format("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}", chunks);
}

constexpr std::string_view greeting = "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\nHello, World!";

TEST(HttpClient, AsksForItsPath) {
  EXPECT_EQ(request_of({{"http-path", "/bytes/5"}}),
            "GET /bytes/5 HTTP/1.1\r\nHost: serverlab\r\n\r\n");
}

TEST(HttpClient, AsksForAsManyBytesAsThePayloadHas) {
  EXPECT_EQ(request_of({{"payload", "1 KiB"}}),
            "GET /bytes/1024 HTTP/1.1\r\nHost: serverlab\r\n\r\n");
}

TEST(HttpClient, SendsTheMethodTheFieldsAndTheBodyThatItIsGiven) {
  EXPECT_EQ(request_of({{"http-path", "/a?b=c"},
                        {"http-method", "PUT"},
                        {"http-headers", "Accept: */*\nhost: example.org\r\n"},
                        {"http-body", "{}"}}),
            "PUT /a?b=c HTTP/1.1\r\nAccept: */*\r\nhost: example.org\r\nContent-Length: 2\r\n"
            "\r\n{}");
  EXPECT_EQ(request_of({{"http-path", "/a"}, {"http-method", "POST"}}),
            "POST /a HTTP/1.1\r\nHost: serverlab\r\nContent-Length: 0\r\n\r\n");
}

TEST(HttpClient, ReadsABodyFromAFile) {
  const std::string path = testing::TempDir() + "body";
  std::ofstream(path) << "a\nb";
  EXPECT_TRUE(request_of({{"http-path", "/x"}, {"http-body", "@" + path}})
                  .ends_with("Content-Length: 3\r\n\r\na\nb"));
  EXPECT_THROW(open_client({{"http-body", "@" + path + "-that-is-not"}}), BadSetting);
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
        "HTTP/1.1 404 Not Found\r\nContent-Length: 13\r\n\r\nHello, World!"}) {
    expect_all("/", reply, {Verdict::wrong_content});
  }
}

TEST(HttpClient, FindsWhatIsNoReplyOrHasNoEndThatItKnows) {
  for (const std::string_view reply :
       {"HTTP/1.1 2000 OK\r\nContent-Length: 13\r\n\r\nHello, World!", "HTTQ", "SSH-2.0-x\r\n",
        "hello", "HTTP/2.0 200 OK\r\n", "HTTP/1.1 200 OK\r\n\r\n",
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

TEST(HttpClient, TakesContentInChunks) {
  for (const std::string_view chunks :
       {"d\r\nHello, World!\r\n0\r\n\r\n", "5\r\nHello\r\n8;x=y\r\n, World!\r\n0\r\nA: b\r\n\r\n",
        "00D \r\nHello, World!\r\n000\r\n\r\n"}) {
    expect_all("/", in_chunks(chunks) + in_chunks(chunks), Verdicts(2, Verdict::correct));
  }
  for (const std::string_view chunks :
       {"d\r\nHello, world!\r\n0\r\n\r\n", "5\r\nHello\r\n0\r\n\r\n",
        "e\r\nHello, World!!\r\n0\r\n\r\n"}) {
    expect_all("/", in_chunks(chunks), {Verdict::wrong_content});
  }
  for (const std::string_view chunks : {"d\nHello, World!\r\n0\r\n\r\n", "x\r\n",
                                        "d\r\nHello, World!0\r\n\r\n", "fffffffffffffffff\r\n"}) {
    expect_all("/", in_chunks(chunks), {Verdict::protocol_error});
  }
}

TEST(HttpClient, ComparesUnknownContentWithThatOfTheFirstReply) {
  const Given same = {{"http-path", "/x"}};
  const std::string first = with_length("some");
  expect_all(same, first + first + in_chunks("4\r\nsome\r\n0\r\n\r\n"),
             Verdicts(3, Verdict::correct));
  expect_all(same, first + with_length("Some"), {Verdict::correct, Verdict::wrong_content});
  expect_all(same, first + with_length("some "), {Verdict::correct, Verdict::wrong_content});
  expect_all(same, first + in_chunks("3\r\nsom\r\n0\r\n\r\n"),
             {Verdict::correct, Verdict::wrong_content});
}

TEST(HttpClient, ChecksNoMoreThanItIsAskedTo) {
  const std::string replies = with_length("1234") + with_length("4321");
  const Given length = {{"http-check", "length"}};
  expect_all(length, replies, Verdicts(2, Verdict::correct));
  expect_all(length, with_length("1234") + with_length("12345"),
             {Verdict::correct, Verdict::wrong_content});
  expect_all({{"http-check", "status"}}, replies + with_length("another"),
             Verdicts(3, Verdict::correct));
  expect_all({{"http-check", "status"}}, with_length("", "500 Oh"), {Verdict::wrong_content});
}

TEST(HttpClient, AwaitsTheStatusThatItIsGiven) {
  const Given created = {{"http-method", "POST"}, {"http-status", "201"}, {"http-path", "/x"}};
  expect_all(created, with_length("{}", "201 Created"), {Verdict::correct});
  expect_all(created, with_length("{}"), {Verdict::wrong_content});
}

TEST(HttpClient, AwaitsNoContentWhereThereIsNone) {
  expect_all({{"http-method", "HEAD"}}, "HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n",
             {Verdict::correct});
  const std::string_view no_content = "HTTP/1.1 204 No Content\r\nDate: x\r\n\r\n";
  expect_all({{"http-status", "204"}}, fmt::format("{0}{0}", no_content),
             Verdicts(2, Verdict::correct));
}

TEST(HttpClient, PassesOverInterimReplies) {
  const std::string hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  expect_all("/", hints + hints + std::string(greeting) + std::string(greeting),
             Verdicts(2, Verdict::correct));
}

TEST(HttpClient, ChecksWhatIsEchoed) {
  const Given echo = {{"http-method", "POST"}, {"http-path", "/echo"}, {"http-body", "abc"}};
  expect_all(echo, with_length("abc"), {Verdict::correct});
  expect_all(echo, with_length("abd"), {Verdict::wrong_content});
}

TEST(HttpWorkload, TakesNothingThatWouldBeAnotherRequest) {
  const std::vector<Given> wrong = {
      {{"http-path", ""}},
      {{"http-path", "x"}},
      {{"http-path", "http://x/"}},
      {{"http-path", "/?a b"}},
      {{"http-path", "/?\r\nA: b"}},
      {{"http-method", ""}},
      {{"http-method", "GET /"}},
      {{"http-headers", "A"}},
      {{"http-headers", "A b: c"}},
      {{"http-headers", ": c"}},
      {{"http-headers", "A: \x01"}},
      {{"http-headers", "content-length: 5"}},
      {{"http-headers", "Transfer-Encoding: chunked"}},
      {{"http-status", "99"}},
      {{"http-path", "/x"}, {"http-check", "exact"}},
      {{"http-method", "HEAD"}, {"http-check", "exact"}},
      {{"payload", "1 KiB"}, {"http-path", "/"}},
      {{"payload", "1 KiB"}, {"http-method", "POST"}},
      {{"payload", "1 KiB"}, {"http-body", "{}"}},
      {{"payload", "2 GiB"}},
  };
  for (const Given& given : wrong) {
    EXPECT_THROW(open_client(given), BadSetting) << testing::PrintToString(given);
  }
}

}  // namespace
}  // namespace serverlab
