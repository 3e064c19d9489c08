#pragma once

// The head of a reply, written by hand into the output, without a copy of its own.

#include "base/bytes.h"

#include <cstdint>
#include <string_view>

namespace serverlab {

/// What a reply says about the connection's future.
enum class Persistence : std::uint8_t {
  implied,  // it stays, as it does by default since HTTP/1.1
  kept,     // it stays, to a client of HTTP/1.0
  closed,
};

/// Each is as the status line has it: code and phrase.
namespace status {
constexpr std::string_view ok = "200 OK";
constexpr std::string_view bad_request = "400 Bad Request";
constexpr std::string_view not_found = "404 Not Found";
constexpr std::string_view method_not_allowed = "405 Method Not Allowed";
constexpr std::string_view length_required = "411 Length Required";
constexpr std::string_view content_too_large = "413 Content Too Large";
constexpr std::string_view fields_too_large = "431 Request Header Fields Too Large";
}  // namespace status

struct ReplyHead {
  std::string_view status;
  std::string_view content_type;
  std::uint64_t content_bytes = 0;
  Persistence persistence = Persistence::implied;
  std::string_view allow;  // the methods that are, where one is not
};

void append_head(const ReplyHead& head, Bytes& output);

}  // namespace serverlab
