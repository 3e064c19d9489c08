#pragma once

// A stream means the same however it arrives.

#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "tests/services/feeding.h"

#include <fmt/format.h>

namespace serverlab::fuzz {

/// Of what a session says so much is compared; `GET /bytes/1073741824` is a short request.
constexpr std::size_t replies_bytes_max = 256 << 10;

inline Finding difference(std::string_view between, std::string_view stream) {
  return Finding(fmt::format("{} differ over {} bytes", between, stream.size()));
}

/// @param open opens a session whose service is as it begins
/// @return what the session says
/// @throws Finding if it is not the same in each way to arrive
template <class OpenSession>
Said expect_same(OpenSession open, std::string_view stream) {
  const std::vector<Pieces> ways = ways_to_arrive(stream);
  Said whole = said(open(), ways.front(), replies_bytes_max);
  for (const Pieces& pieces : ways) {
    if (said(open(), pieces, replies_bytes_max) == whole) continue;
    throw difference(fmt::format("1 piece and {} pieces", pieces.size()), stream);
  }
  return whole;
}

}  // namespace serverlab::fuzz
