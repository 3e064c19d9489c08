// What the http session refuses, each row in every feeding: requests that cannot be read, those in
// which two readers might see two different ones, and those that are too long.

#include "services/http/head_scan.h"
#include "services/http/http.h"
#include "tests/services/feeding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace serverlab {
namespace {

constexpr std::string_view begun = "POST /echo HTTP/1.1\r\nHost: x\r\n";
constexpr std::string_view chunked =
    "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

Open open_limited(std::string_view body_max = "1000") {
  Settings settings;
  settings.add(http::service_settings());
  settings.set("http-body-max", body_max);
  return opening(http::service(settings));
}

std::string refusal(std::string_view status) {
  return fmt::format(
      "HTTP/1.1 {0}\r\nContent-Type: text/plain\r\nContent-Length: {1}\r\n"
      "Connection: close\r\n\r\n{0}",
      status, status.size());
}

// Each request ends where it can be refused; what comes after is not answered.
void expect_refused(std::string_view status, const std::vector<std::string>& requests) {
  for (const std::string& request : requests) {
    SCOPED_TRACE(request);
    const std::string next = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    EXPECT_EQ(faults(open_limited(), {{request, refusal(status), true}, {next, ""}}), none);
  }
}

// Requests with a field each, or several, the last of which is wrong.
std::vector<std::string> with_fields(const std::vector<std::string>& fields) {
  std::vector<std::string> requests;
  for (const std::string& field : fields) requests.push_back(fmt::format("{}{}\r\n", begun, field));
  return requests;
}

std::vector<std::string> with_chunks(const std::vector<std::string>& chunks) {
  std::vector<std::string> requests;
  for (const std::string& chunk : chunks) requests.push_back(fmt::format("{}{}", chunked, chunk));
  return requests;
}

TEST(HttpRefusal, OfLinesThatEndOtherwise) {
  expect_refused(
      "400 Bad Request",
      {"\n", "GET / HTTP/1.1\n", "GET / HTTP/1.1\r\nHost: x\n", "GET / HTTP/1.1\r\nHost: x\r\n\n",
       "GET / HTTP/1.1\rHost: x\r\n", "GET / HTTP/1.1\r\nHost: x\ry\r\n"});
}

TEST(HttpRefusal, OfFoldedLines) {
  expect_refused("400 Bad Request", {"GET / HTTP/1.1\r\n ", "GET / HTTP/1.1\r\nHost: x\r\n ",
                                     "GET / HTTP/1.1\r\nHost: x\r\nA:\r\n\t"});
}

TEST(HttpRefusal, OfRequestLinesThatCannotBeRead) {
  std::vector<std::string> requests;
  for (const std::string_view line :
       {"GET", "GET /", "GET  / HTTP/1.1", "GET /  HTTP/1.1", " GET / HTTP/1.1", "GET / HTTP/1.1 ",
        "GET / HT", "GET / HTTP/1.", "GET / HTTP/1.2", "GET / HTTP/2.0", "GET / http/1.1",
        "GET / HTTP/11", "G(T / HTTP/1.1", "GET /\x01 HTTP/1.1", "PRI * HTTP/2.0",
        "GET /a b HTTP/1.1"}) {
    requests.push_back(fmt::format("{}\r\n", line));
  }
  expect_refused("400 Bad Request", requests);
  expect_refused("400 Bad Request", {std::string("GET /\0 HTTP/1.1\r\n", 17)});
}

TEST(HttpRefusal, OfFieldsThatCannotBeRead) {
  expect_refused("400 Bad Request", with_fields({"A : b", ": b", "A", "A(: b", "A: \x01", "A: \x7f",
                                                 std::string("A: b\0c", 6), "Connection: ,;"}));
}

TEST(HttpRefusal, OfNoHostOrTwo) {
  expect_refused("400 Bad Request", {"GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n\r\n"});
  for (const std::string& request : with_fields({"Host: x", "Host: y"})) {
    expect_refused("400 Bad Request", {request + "\r\n"});
  }
}

TEST(HttpRefusal, OfLengthsThatAreNone) {
  expect_refused("400 Bad Request",
                 with_fields({"Content-Length:", "Content-Length: +5", "Content-Length: -1",
                              "Content-Length: 0x5", "Content-Length: 5a", "Content-Length: 5 5",
                              "Content-Length: 5,", "Content-Length: 18446744073709551616"}));
}

TEST(HttpRefusal, OfTwoLengths) {
  expect_refused(
      "400 Bad Request",
      with_fields({"Content-Length: 5\r\nContent-Length: 6",
                   "Content-Length: 5\r\nContent-Length: 5", "Content-Length: 5, 6",
                   "Content-Length: 5, 5", "Content-Length: 5\r\nTransfer-Encoding: chunked",
                   "Transfer-Encoding: chunked\r\nContent-Length: 5",
                   "Content-Length: 0\r\nTransfer-Encoding: identity"}));
}

TEST(HttpRefusal, OfCodingsThatAreNotChunked) {
  expect_refused(
      "400 Bad Request",
      with_fields(
          {"Transfer-Encoding:", "Transfer-Encoding: identity", "Transfer-Encoding: gzip, chunked",
           "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: chunked, chunked",
           "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked;q=1",
           "Transfer-Encoding: \x0b"
           "chunked",
           "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip"}));
  expect_refused("400 Bad Request", {"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n"});
}

TEST(HttpRefusal, OfChunksThatAreNone) {
  expect_refused("400 Bad Request", with_chunks({"x",
                                                 "z",
                                                 "\r",
                                                 "\n",
                                                 "-",
                                                 ";",
                                                 " ",
                                                 "5\n",
                                                 "5\rh",
                                                 "5x",
                                                 "0x",
                                                 "5 5\r\n",
                                                 "5;=a\r\n",
                                                 "5;\r\n",
                                                 "5;a=\"\n",
                                                 "5;a\rb",
                                                 "10000000000000000\r\n",
                                                 "5\r\nhelloX",
                                                 "5\r\nhello\n",
                                                 "5\r\nhello\rX",
                                                 "5\r\nhello\r\nx",
                                                 "5\r\nhello\r\n\r",
                                                 "0\n",
                                                 "0\rX",
                                                 "0\r\n\n",
                                                 "0\r\nA: b\n",
                                                 "0\r\nA: b\r\n ",
                                                 fmt::format("5;{:a>256}", "")}));
}

// Trailers are judged together.
TEST(HttpRefusal, OfTrailersThatAreNone) {
  expect_refused("400 Bad Request",
                 with_chunks({"0\r\nA : b\r\n\r\n", "0;=\r\n\r\n", "0\r\nContent-Length: 5\r\n\r\n",
                              "0\r\nTransfer-Encoding: chunked\r\n\r\n"}));
}

TEST(HttpRefusal, OfFieldsOfTheHeadAmongTrailers) {
  expect_refused(
      "400 Bad Request",
      with_chunks({"0\r\nHost: x\r\n\r\n", "0\r\nA: b\r\nconnection: close\r\n\r\n",
                   "0\r\nConnection: keep-alive\r\n\r\n", "0\r\nProxy-Connection: close\r\n\r\n",
                   "0\r\nUpgrade: websocket\r\nA: b\r\n\r\n"}));
}

TEST(HttpRefusal, OfHeadsThatAreTooLong) {
  const std::size_t head_max = HeadScan::head_bytes_max;
  std::string fields(begun);
  while (fields.size() < head_max) fields += "A: b\r\n";
  expect_refused("431 Request Header Fields Too Large",
                 {std::string(head_max, 'G'), fields.substr(0, head_max),
                  fmt::format("{}A: {:a>{}}", begun, "", head_max - begun.size() - 3)});
}

TEST(HttpRefusal, IsNotOfTheLongestHead) {
  const std::size_t value =
      HeadScan::head_bytes_max - begun.size() - std::string("A: \r\n\r\n").size();
  const std::string longest = fmt::format("{}A: {:a>{}}\r\n\r\n", begun, "", value);
  Bytes output;
  open_limited()().advance(bytes_of(longest), output);
  EXPECT_TRUE(text_of(output.view()).starts_with("HTTP/1.1 411 "));
}

TEST(HttpRefusal, OfBodiesThatAreTooLong) {
  for (const std::string& request :
       with_fields({"Content-Length: 1001", "Content-Length: 18446744073709551615"})) {
    expect_refused("413 Content Too Large", {request + "\r\n"});
  }
  expect_refused("413 Content Too Large",
                 with_chunks({"3e9\r\n", "FFFFFFFFFFFFFFFF\r\n",
                              fmt::format("3e8\r\n{:a>1000}\r\n1\r\n", "")}));
  const std::string longest = fmt::format("{}Content-Length: 1000\r\n\r\n{:a>1000}", begun, "");
  Bytes output;
  open_limited()().advance(bytes_of(longest), output);
  EXPECT_TRUE(text_of(output.view()).starts_with("HTTP/1.1 200 "));
}

TEST(HttpRefusal, LetsNothingPileUp) {
  const std::size_t limit = HeadScan::head_bytes_max + 10;
  for (const std::string_view chunk :
       {"a", "\r\n", "A: b\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"}) {
    EXPECT_EQ(faults_without_end(open_limited(), chunk, limit), none) << chunk;
  }
}

// A session that has read a head, and is fed with something for ever.
std::vector<std::string> faults_after(std::string_view head, std::string_view chunk) {
  const Open open = [head] {
    AnySession session = open_limited("1 GiB")();
    Bytes output;
    session.advance(bytes_of(head), output);
    return session;
  };
  return faults_without_end(open, chunk, HeadScan::head_bytes_max + 10);
}

TEST(HttpRefusal, LetsNothingPileUpWithinABody) {
  for (const std::string_view chunk : {"0", ";a", "5\r\nhello\r\n", "0\r\nA: b\r\n"}) {
    EXPECT_EQ(faults_after(chunked, chunk), none) << chunk;
  }
}

}  // namespace
}  // namespace serverlab
