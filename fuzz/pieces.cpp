#include "fuzz/pieces.h"

#include "fuzz/random.h"

#include <algorithm>
#include <functional>

namespace serverlab::fuzz {
namespace {

Pieces in_pieces(std::string_view stream, Random& random, std::size_t bytes_max) {
  Pieces pieces;
  while (!stream.empty()) {
    const std::size_t size = std::min(1 + random.below(bytes_max), stream.size());
    pieces.emplace_back(stream.substr(0, size));
    stream.remove_prefix(size);
  }
  return pieces;
}

}  // namespace

std::vector<Pieces> ways_to_arrive(std::string_view stream) {
  if (stream.empty()) return {{}};
  constexpr std::size_t some = 40;
  Random random(static_cast<unsigned>(std::hash<std::string_view>()(stream)));
  const std::size_t middle = random.below(stream.size());
  return {{std::string(stream)},
          in_pieces(stream, random, 1),
          {std::string(stream.substr(0, middle)), std::string(stream.substr(middle))},
          in_pieces(stream, random, some)};
}

}  // namespace serverlab::fuzz
