// The http session in every feeding: what it has, how long a connection lasts, bodies of both
// kinds.

#include "services/http/http.h"

#include "services/http/resource.h"
#include "tests/services/feeding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace serverlab {
namespace {

const std::string host = "Host: x\r\n";

Settings server_settings() {
  Settings settings;
  settings.add(http::service_settings());
  return settings;
}

Open open_http(const Settings& settings = server_settings()) {
  return opening(http::service(settings));
}

std::string request(std::string_view line, std::string_view fields = "",
                    std::string_view body = "") {
  return fmt::format("{} HTTP/1.1\r\n{}{}\r\n{}", line, host, fields, body);
}

std::string reply(std::string_view status, std::string_view type, std::string_view body,
                  std::string_view fields = "") {
  return fmt::format("HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n{}", status,
                     type, body.size(), fields, body);
}

std::string plain(std::string_view body, std::string_view fields = "") {
  return reply("200 OK", "text/plain", body, fields);
}

std::string echoed(std::string_view body, std::string_view fields = "") {
  return reply("200 OK", "application/octet-stream", body, fields);
}

std::string error(std::string_view status, std::string_view fields = "") {
  return reply(status, "text/plain", status, fields);
}

std::string head_of(const std::string& whole) {
  return whole.substr(0, whole.find("\r\n\r\n") + 4);
}

const std::string hello = plain("Hello, World!");

std::string bytes(std::uint64_t size) {
  std::string text;
  while (text.size() < size) text += text_of(http_bytes(text.size(), size - text.size()));
  return text;
}

TEST(HttpSession, HasWhatItHas) {
  std::vector<Exchange> conversation = {{request("GET /"), hello},
                                        {request("GET /?a=b"), hello},
                                        {request("GET http://x"), hello},
                                        {request("GET http://x/"), hello},
                                        {request("HEAD /"), head_of(hello)},
                                        {request("HEAD /bytes/1000"), head_of(plain(bytes(1000)))}};
  for (const std::uint64_t size : {0, 1, 95, 1000, 65'536, 200'000}) {
    conversation.push_back({request(fmt::format("GET /bytes/{}", size)), plain(bytes(size))});
  }
  EXPECT_EQ(faults(open_http(), conversation), none);
}

TEST(HttpSession, HasNothingElse) {
  std::vector<Exchange> conversation;
  for (const std::string_view target :
       {"/x", "/echo/", "//", "*", "x", "/bytes/", "/bytes/x", "/bytes/-1", "/bytes/+1",
        "/bytes/1x", "/bytes/1073741825", "/bytes/18446744073709551616"}) {
    conversation.push_back({request(fmt::format("GET {}", target)), error("404 Not Found")});
  }
  conversation.push_back({request("HEAD /x"), head_of(error("404 Not Found"))});
  conversation.push_back(
      {request("POST /x", "Content-Length: 5\r\n", "hello"), error("404 Not Found")});
  EXPECT_EQ(faults(open_http(), conversation), none);
}

TEST(HttpSession, NamesTheMethodsThatAre) {
  const std::string of_get = error("405 Method Not Allowed", "Allow: GET, HEAD\r\n");
  const std::string of_echo = error("405 Method Not Allowed", "Allow: POST\r\n");
  EXPECT_EQ(faults(open_http(), {{request("POST /", "Content-Length: 1\r\n", "x"), of_get},
                                 {request("DELETE /"), of_get},
                                 {request("FETCH /bytes/1"), of_get},
                                 {request("get /"), of_get},
                                 {request("GET /echo"), of_echo},
                                 {request("HEAD /echo"), head_of(of_echo)},
                                 {request("GET /"), hello}}),
            none);
}

TEST(HttpSession, EchoesABodyOfALength) {
  const std::string body = bytes(100'000);
  const std::string long_length = fmt::format("Content-Length: {}\r\n", body.size());
  EXPECT_EQ(faults(open_http(),
                   {{request("POST /echo", "Content-Length: 5\r\n", "hello"), echoed("hello")},
                    {request("POST /echo", "content-length:0\r\n"), echoed("")},
                    {request("POST /echo", long_length, body), echoed(body)},
                    {request("GET /", "Content-Length: 5\r\n", "hello"), hello},
                    {request("POST /echo"), error("411 Length Required")},
                    {request("GET /"), hello}}),
            none);
}

TEST(HttpSession, EchoesABodyInChunks) {
  const auto chunked = [](std::string_view body) {
    return request("POST /echo", "Transfer-Encoding: chunked\r\n", body);
  };
  const std::string zeros = fmt::format("{:0>20}5\r\nhello\r\n0\r\n\r\n", "");
  EXPECT_EQ(
      faults(open_http(),
             {{chunked("0\r\n\r\n"), echoed("")},
              {chunked("5\r\nhello\r\n0\r\n\r\n"), echoed("hello")},
              {chunked("1\r\nh\r\n4\r\nello\r\n000\r\n\r\n"), echoed("hello")},
              {chunked("A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n"),
               echoed("01234567890123456789")},
              {chunked("5;a;b=c;d=\"e f\"\r\nhello\r\n0;last\r\n\r\n"), echoed("hello")},
              {chunked("5\r\nhello\r\n0\r\nA: b\r\nC: d\r\n\r\n"), echoed("hello")},
              {chunked(zeros), echoed("hello")},
              {request("POST /echo", "Transfer-Encoding: CHUNKED\r\n", "0\r\n\r\n"), echoed("")},
              {request("GET /"), hello}}),
      none);
}

TEST(HttpSession, SaysToGoOnWhereABodyIsHeldBack) {
  const std::string expects = "Expect: 100-continue\r\n";
  const std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_EQ(faults(open_http(),
                   {{request("POST /echo", expects + "Content-Length: 5\r\n"), go_on},
                    {"hello", echoed("hello")},
                    {request("POST /echo", expects + "Transfer-Encoding: chunked\r\n"), go_on},
                    {"5\r\nhello\r\n0\r\n\r\n", echoed("hello")},
                    {request("POST /echo", expects + "Content-Length: 0\r\n"), echoed("")},
                    {request("GET /", expects), hello}}),
            none);
}

TEST(HttpSession, DoesNotSayToGoOnWhereItRefuses) {
  const std::string expects = "Expect: 100-continue\r\nContent-Length: 5\r\n";
  EXPECT_EQ(faults(open_http(), {{request("POST /x", expects),
                                  error("404 Not Found", "Connection: close\r\n"), true}}),
            none);
  EXPECT_EQ(
      faults(open_http(),
             {{request("PUT /echo", expects),
               error("405 Method Not Allowed", "Allow: POST\r\nConnection: close\r\n"), true}}),
      none);
}

TEST(HttpSession, EndsTheConnectionWhenItIsAskedTo) {
  for (const std::string_view fields : {"Connection: close\r\n", "Connection: x, Close\r\n"}) {
    EXPECT_EQ(faults(open_http(), {{request("GET /"), hello},
                                   {request("GET /", fields),
                                    plain("Hello, World!", "Connection: close\r\n"), true},
                                   {request("GET /"), ""}}),
              none);
  }
  const std::string content = bytes(200'000);
  EXPECT_EQ(faults(open_http(), {{request("GET /bytes/200000", "Connection: close\r\n"),
                                  plain(content, "Connection: close\r\n"), true}}),
            none);
}

TEST(HttpSession, KeepsTheHabitsOfHttp10) {
  const std::string closed = plain("Hello, World!", "Connection: close\r\n");
  const std::string kept = plain("Hello, World!", "Connection: keep-alive\r\n");
  EXPECT_EQ(faults(open_http(), {{"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", kept},
                                 {"GET / HTTP/1.0\r\n\r\n", closed, true}}),
            none);
  EXPECT_EQ(faults(open_http(), {{"POST /echo HTTP/1.0\r\nExpect: 100-continue\r\n"
                                  "Content-Length: 5\r\n\r\nhello",
                                  echoed("hello", "Connection: close\r\n"), true}}),
            none);
}

TEST(HttpSession, OverlooksBlankLinesBeforeARequest) {
  EXPECT_EQ(faults(open_http(), {{"\r\n\r\n" + request("GET /"), hello}, {"\r\n", ""}}), none);
}

TEST(HttpSession, BoundsWhatItSaysAtOnce) {
  std::string requests;
  for (int i = 0; i < 10'000; ++i) requests += request("GET /");
  for (const std::string& input : {requests, request("GET /bytes/1000000000")}) {
    AnySession session = open_http()();
    Bytes output;
    EXPECT_EQ(session.advance(bytes_of(input), output).next, Next::flush);
    EXPECT_GE(output.size(), 64U << 10);
    EXPECT_LT(output.size(), 65U << 10);
  }
}

TEST(HttpSession, CountsARequestWhenItIsAnswered) {
  AnySession session = open_http()();
  Bytes output;
  EXPECT_EQ(session.advance(bytes_of(request("GET /") + request("GET /x")), output).requests, 2U);
  const std::string upload = request("POST /echo", "Content-Length: 5\r\n", "hell");
  EXPECT_EQ(session.advance(bytes_of(upload), output).requests, 0U);
  EXPECT_EQ(session.advance(bytes_of("o"), output).requests, 1U);
}

}  // namespace
}  // namespace serverlab
