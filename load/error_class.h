#pragma once

// What can go wrong with a request or a connection, each counted on its own. The names are those
// of the result document.

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace serverlab {

enum class ErrorClass : std::uint8_t {
  connect_refused,
  connect_timeout,
  connect_unreachable,
  connect_reset,      // the peer reset it before the generator saw it stand
  connect_no_port,    // no local port or descriptor is left: the generator's limit
  connect_failed,     // any other reason
  read_reset,         // the peer reset the connection while a reply was due
  read_eof_in_reply,  // the peer ended while a reply was due
  idle_eof,           // the peer ended or reset while no reply was due
  broken_pipe,        // sending failed
  request_timeout,
  wrong_content,     // a reply, but not the right one
  protocol_error,    // not a reply
  unexpected_reply,  // a reply without a request
};

constexpr std::array<std::string_view, 14> error_names = {
    "connect_refused", "connect_timeout",  "connect_unreachable", "connect_reset",
    "connect_no_port", "connect_failed",   "read_reset",          "read_eof_in_reply",
    "idle_eof",        "broken_pipe",      "request_timeout",     "wrong_content",
    "protocol_error",  "unexpected_reply",
};

constexpr std::size_t error_classes = error_names.size();

/// Of a connect that failed with this errno.
constexpr ErrorClass connect_error(int error) {
  switch (error) {
    case ECONNREFUSED: return ErrorClass::connect_refused;
    case ETIMEDOUT: return ErrorClass::connect_timeout;
    case EHOSTUNREACH:
    case ENETUNREACH: return ErrorClass::connect_unreachable;
    case ECONNRESET:
    case EPIPE: return ErrorClass::connect_reset;  // EPIPE: after the peer's FIN
    case EADDRNOTAVAIL:
    case EMFILE:
    case ENFILE: return ErrorClass::connect_no_port;
    default: return ErrorClass::connect_failed;
  }
}

/// Whether it fails a request, and not a connection without requests in flight.
constexpr bool is_of_a_request(ErrorClass error) {
  switch (error) {
    case ErrorClass::read_reset:
    case ErrorClass::read_eof_in_reply:
    case ErrorClass::broken_pipe:
    case ErrorClass::request_timeout:
    case ErrorClass::wrong_content:
    case ErrorClass::protocol_error: return true;
    case ErrorClass::connect_refused:
    case ErrorClass::connect_timeout:
    case ErrorClass::connect_unreachable:
    case ErrorClass::connect_reset:
    case ErrorClass::connect_no_port:
    case ErrorClass::connect_failed:
    case ErrorClass::idle_eof:
    case ErrorClass::unexpected_reply: return false;
  }
  return false;
}

/// How often each happened.
using ErrorCounts = std::array<std::uint64_t, error_classes>;

constexpr std::string_view name_of(ErrorClass error) {
  return error_names[static_cast<std::size_t>(error)];
}

}  // namespace serverlab
