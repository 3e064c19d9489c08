// HTTP/1.1: requests and replies, a line a message, so that one line of a head can change alone.

#include "fuzz/grammar.h"

#include <algorithm>
#include <fmt/format.h>

namespace serverlab::fuzz {
namespace {

constexpr std::string_view line_end = "\r\n";

std::string first_line(Random& random) {
  static constexpr std::string_view methods[] = {"GET", "GET",     "POST", "POST", "HEAD",
                                                 "PUT", "OPTIONS", "get",  "PRI",  "G@T"};
  static constexpr std::string_view targets[] = {"/",
                                                 "/echo",
                                                 "/bytes/0",
                                                 "/bytes/99",
                                                 "/bytes/70000?x",
                                                 "/bytes/1073741825",
                                                 "/x",
                                                 "*",
                                                 "",
                                                 "/ /",
                                                 "http://x/echo",
                                                 "http://x/bytes/3?a=b",
                                                 "/%2",
                                                 "/bytes/0000001"};
  static constexpr std::string_view versions[] = {"HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0",
                                                  "HTTP/2.0", "HTTP/1.",  "http/1.1", ""};
  return fmt::format("{} {} {}\r\n", random.pick(methods), random.pick(targets),
                     random.pick(versions));
}

std::string status_line(Random& random) {
  static constexpr std::string_view statuses[] = {
      "200 OK", "100 Continue", "204 No Content", "304 Not Modified", "404", "999 x", "20", "-1 x"};
  return fmt::format("HTTP/1.{} {}\r\n", random.below(3), random.pick(statuses));
}

std::string field(Random& random) {
  static constexpr std::string_view fields[] = {"Host: x",
                                                "Host: ",
                                                "Host: a, b",
                                                "Host:y",
                                                "Connection: close",
                                                "Connection: keep-alive",
                                                "Connection: close, keep-alive",
                                                "Transfer-Encoding: chunked",
                                                "Transfer-Encoding: gzip",
                                                "Transfer-Encoding: gzip, chunked",
                                                "Transfer-Encoding: chunked, chunked",
                                                "Transfer-Encoding : chunked",
                                                "Expect: 100-continue",
                                                "Expect: x",
                                                "Upgrade: h2c",
                                                "X: \x01",
                                                ": x",
                                                "X",
                                                " folded",
                                                "X:\ty",
                                                "Content-Length: 5, 5",
                                                "Trailer: A"};
  if (random.once_in(3)) return fmt::format("Content-Length: {}\r\n", some_number(random));
  if (random.once_in(30)) return fmt::format("X: {}\r\n", std::string(random.below(9'000), 'x'));
  return fmt::format("{}{}", random.pick(fields), random.once_in(20) ? "\n" : "\r\n");
}

std::string chunk(Random& random) {
  static constexpr std::string_view sizes[] = {
      "0", "00", "5", "a", "A", "10000", "fffffffffffffffff", "-1", "", "g", "0x5"};
  static constexpr std::string_view extensions[] = {
      "", "", "", ";", ";a", ";a=b", R"(;a="b\"")", " ;a", ";a=", "; a = \"\""};
  if (random.once_in(3)) {
    const std::size_t size = random.below(40);
    return fmt::format("{:x}{}\r\n{}\r\n", size, random.pick(extensions), std::string(size, 'x'));
  }
  return fmt::format("{}{}\r\n", random.pick(sizes), random.pick(extensions));
}

std::string chunked_body(Random& random) {
  std::string text = "Transfer-Encoding: chunked\r\n\r\n";
  for (std::size_t count = random.below(4); count > 0; --count) text += chunk(random);
  text += "0\r\n";
  if (random.once_in(3)) text += field(random);
  return text.append(line_end);
}

std::string make_http(Random& random) {
  std::string text = random.once_in(6) ? status_line(random) : first_line(random);
  if (!random.once_in(5)) text += "Host: x\r\n";
  for (std::size_t count = random.below(4); count > 0; --count) text += field(random);
  if (random.once_in(2)) return text.append(line_end);
  if (random.once_in(2)) return text + chunked_body(random);
  const std::size_t size = random.below(40);
  return fmt::format("{}Content-Length: {}\r\n\r\n{}", text, size, std::string(size, 'x'));
}

std::vector<std::string> http_lines(std::string_view stream) {
  std::vector<std::string> lines;
  while (!stream.empty()) {
    const std::size_t size = std::min(stream.find('\n'), stream.size() - 1) + 1;
    lines.emplace_back(stream.substr(0, size));
    stream.remove_prefix(size);
  }
  return lines;
}

std::string change_http(const std::string& line, Random& random) {
  switch (random.below(6)) {
    case 0: return field(random);
    case 1: return chunk(random);
    case 2: return line + field(random);
    case 3: return line.contains("HTTP") ? first_line(random) : std::string(line_end);
    case 4: return status_line(random);
    default: return mutated_bytes(line);
  }
}

}  // namespace

constinit const Grammar http_grammar = {http_lines, make_http, change_http};

}  // namespace serverlab::fuzz
