#include "services/forum/reply.h"

#include <charconv>

namespace serverlab::forum {

std::optional<std::uint64_t> number_in(std::string_view line) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || rest != line.data() + line.size()) return std::nullopt;
  return number;
}

}  // namespace serverlab::forum
