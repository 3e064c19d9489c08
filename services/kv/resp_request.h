#pragma once

// Requests of the Redis protocol (RESP): an array of bulk strings, or a line of words. Limits are
// lower than Redis's own, so that a connection's memory is bounded by a few megabytes.
// Source: redis.io/docs/latest/develop/reference/protocol-spec.

#include "services/kv/resp_line.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace serverlab::kv {

constexpr std::size_t bulk_bytes_max = 1 << 20;
constexpr std::size_t arguments_max = 1 << 16;
constexpr std::size_t request_bytes_max = 4 << 20;

/// How far an unfinished request has been read, so that it is read on from there when more of it
/// has come. It holds positions in the request, whose address may change.
struct RespProgress {
  std::uint32_t read_bytes = 0;  // of a line, or of the words of an array that are whole
  std::uint32_t words_left = 0;  // of an array
  QuoteScan quotes;              // of a line
};

struct RespRequest {
  enum class Status : std::uint8_t {
    need_more,
    complete,  // no words: an empty request, which has no reply
    error,     // not RESP: `error` says why, and nothing that follows can be understood
  };
  Status status = Status::need_more;
  std::size_t bytes = 0;  // of a complete one
  std::string error;
};

/// Reads on in the request at the beginning of `input`, which has at least one byte. It tells an
/// error as soon as no further bytes could make the request a valid one.
/// @param progress of the request: value-initialized before it begins, and again when it has ended
/// @param arguments of a complete request; its words replace what was there
RespRequest read_request(std::string_view input, RespProgress& progress, RespArguments& arguments);

}  // namespace serverlab::kv
