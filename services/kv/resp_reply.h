#pragma once

// Replies of the Redis protocol, RESP2 or RESP3.

#include "base/bytes.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

namespace serverlab::kv {

enum class RespVersion : std::uint8_t { resp2 = 2, resp3 = 3 };

class RespReply {
 public:
  RespReply(Bytes& output, RespVersion version) : output_(output), version_(version) {}

  void ok() { output_.append("+OK\r\n"); }
  void simple(std::string_view text) { line('+', text); }

  /// @param text begins with a word in capitals, such as ERR; what would end its line is a space
  void error(std::string text) {
    std::ranges::replace_if(text, [](char c) { return c == '\r' || c == '\n'; }, ' ');
    line('-', text);
  }

  void integer(std::int64_t value) { header(':', value); }

  void bulk(std::string_view bytes) {
    constexpr std::size_t ending = 2;
    const std::span<std::byte> room = output_.prepare(header_bytes_max + bytes.size() + ending);
    char* const begin = reinterpret_cast<char*>(room.data());
    char* at = put_header(begin, '$', static_cast<std::int64_t>(bytes.size()));
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    at += bytes.size();
    *at++ = '\r';
    *at++ = '\n';
    output_.commit(static_cast<std::size_t>(at - begin));
  }

  /// Its bytes follow, and "\r\n" behind them.
  void bulk_of(std::size_t size) { header('$', static_cast<std::int64_t>(size)); }

  void null() { output_.append(version_ == RespVersion::resp3 ? "_\r\n" : "$-1\r\n"); }

  /// As many replies follow.
  void array(std::size_t size) { header('*', static_cast<std::int64_t>(size)); }

  /// As many pairs of replies follow: a map, which RESP2 has as an array.
  void map(std::size_t pairs) {
    const auto size = static_cast<std::int64_t>(pairs);
    version_ == RespVersion::resp3 ? header('%', size) : header('*', 2 * size);
  }

 private:
  static constexpr std::size_t header_bytes_max = 24;  // a type, 20 characters, \r\n

  static char* put_header(char* at, char type, std::int64_t value) {
    *at++ = type;
    at = std::to_chars(at, at + header_bytes_max, value).ptr;
    *at++ = '\r';
    *at++ = '\n';
    return at;
  }

  void header(char type, std::int64_t value) {
    char* const begin = reinterpret_cast<char*>(output_.prepare(header_bytes_max).data());
    output_.commit(static_cast<std::size_t>(put_header(begin, type, value) - begin));
  }

  void line(char type, std::string_view text) {
    output_.append(std::string_view(&type, 1));
    output_.append(text);
    output_.append("\r\n");
  }

  Bytes& output_;
  RespVersion version_;
};

}  // namespace serverlab::kv
