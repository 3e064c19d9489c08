#pragma once

// What can go wrong with a request or a connection, each counted on its own. The names are those
// of the result document.

#include <array>
#include <cstddef>
#include <string_view>

namespace serverlab {

enum class ErrorClass : std::uint8_t {
  connect_refused,
  connect_timeout,
  connect_unreachable,
  connect_no_port,    // no local port or descriptor is left: the generator's limit
  connect_failed,     // any other reason
  read_reset,         // the peer reset the connection while an answer was owed
  read_eof_in_reply,  // the peer ended while an answer was owed
  idle_eof,           // the peer ended or reset while none was owed
  broken_pipe,        // sending failed
  request_timeout,
  wrong_content,     // a reply, but not the right one
  protocol_error,    // not a reply
  unexpected_reply,  // bytes that nobody asked for
};

constexpr std::array<std::string_view, 13> error_names = {
    "connect_refused",  "connect_timeout", "connect_unreachable", "connect_no_port",
    "connect_failed",   "read_reset",      "read_eof_in_reply",   "idle_eof",
    "broken_pipe",      "request_timeout", "wrong_content",       "protocol_error",
    "unexpected_reply",
};

constexpr std::size_t error_classes = error_names.size();

constexpr std::string_view name_of(ErrorClass error) {
  return error_names[static_cast<std::size_t>(error)];
}

}  // namespace serverlab
