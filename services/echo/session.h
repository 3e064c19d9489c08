#pragma once

// RFC 862: what arrives goes back, byte for byte. A server without a state that outlives a request
// closes the connection after one: since there are no messages, after a number of bytes.

#include "services/service.h"

#include <algorithm>

namespace serverlab {

class EchoSession {
 public:
  static constexpr std::uint64_t any_number = UINT64_MAX;

  /// @param bytes_max after which it closes; at least 1
  explicit EchoSession(std::uint64_t bytes_max = any_number) : left_bytes_(bytes_max) {}

  // What has arrived at once counts as one request.
  Progress advance(ByteView input, Bytes& output) {
    const ByteView echoed = input.first(std::min<std::uint64_t>(input.size(), left_bytes_));
    output.append(echoed);
    if (left_bytes_ != any_number) left_bytes_ -= echoed.size();
    return {.consumed = echoed.size(),
            .next = left_bytes_ == 0 ? Next::close : Next::read_more,
            .requests = echoed.empty() ? 0U : 1U};
  }

 private:
  std::uint64_t left_bytes_;
};
static_assert(Session<EchoSession>);

}  // namespace serverlab
