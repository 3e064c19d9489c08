#pragma once

// Requests of the Redis protocol (RESP): an array of bulk strings, or a line of words. Limits are
// lower than Redis's own, so that a connection's memory is bounded by a few megabytes.
// Source: redis.io/docs/latest/develop/reference/protocol-spec.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace serverlab::kv {

constexpr std::size_t bulk_bytes_max = 1 << 20;
constexpr std::size_t arguments_max = 1 << 16;
constexpr std::size_t request_bytes_max = 4 << 20;
constexpr std::size_t line_bytes_max = 64 << 10;

/// A request's words. They are views of the input, or of what its quotes and escapes stand for.
struct RespArguments {
  std::vector<std::string_view> words;
  std::string unquoted;
};

struct RespRequest {
  enum class Status {
    need_more,
    complete,  // no words: an empty request, which has no reply
    error,     // not RESP: `error` says why, and nothing that follows can be understood
  };
  Status status = Status::need_more;
  std::size_t bytes = 0;  // of a complete one
  std::string error;
};

/// Reads the request at the beginning of `input`, which has at least one byte.
/// @param arguments its words replace what was there
RespRequest read_request(std::string_view input, RespArguments& arguments);

}  // namespace serverlab::kv
