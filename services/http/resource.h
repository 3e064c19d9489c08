#pragma once

// What an http server has, by the path of a request. Both halves of the service know it.

#include "base/bytes.h"

#include <cstdint>
#include <string_view>

namespace serverlab {

struct HttpResource {
  enum class Kind : std::uint8_t { none, hello, bytes, echo };
  Kind kind = Kind::none;
  std::uint64_t size = 0;  // of what a GET gets
};

constexpr std::string_view http_hello = "Hello, World!";

/// Of `/bytes/N`.
constexpr std::uint64_t http_bytes_max = 1 << 30;

/// @param target of a request line: a path, with or without a query, or a whole URL
HttpResource http_resource(std::string_view target);

/// What `/bytes/N` has from a position on, whatever N: some bytes, at most `size`. No two stretches
/// are alike that begin less than 95 bytes apart.
ByteView http_bytes(std::uint64_t from, std::uint64_t size);

}  // namespace serverlab
