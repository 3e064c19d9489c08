#include "services/http/resource.h"

#include "base/number.h"

#include <algorithm>
#include <array>

namespace serverlab {
namespace {

constexpr std::size_t period = 95;  // the printable characters of ASCII
constexpr std::size_t piece_bytes = 64 << 10;

constexpr std::array<std::byte, piece_bytes + period> make_pattern() {
  std::array<std::byte, piece_bytes + period> pattern{};
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    pattern[i] = static_cast<std::byte>(' ' + i % period);
  }
  return pattern;
}

// RFC 9112, 3.2.2: a server takes the absolute form, too.
std::string_view path_of(std::string_view target) {
  constexpr std::string_view scheme = "http://";
  if (target.starts_with(scheme)) {
    target.remove_prefix(std::min(target.find('/', scheme.size()), target.size()));
    if (!target.starts_with('/')) return "/";
  }
  return target.substr(0, target.find('?'));
}

}  // namespace

HttpResource http_resource(std::string_view target) {
  const std::string_view path = path_of(target);
  constexpr std::string_view bytes_prefix = "/bytes/";
  if (path == "/") return {HttpResource::Kind::hello, http_hello.size()};
  if (path == "/echo") return {HttpResource::Kind::echo};
  if (!path.starts_with(bytes_prefix)) return {};
  const auto size = number_of<std::uint64_t>(path.substr(bytes_prefix.size()));
  if (!size || *size > http_bytes_max) return {};
  return {HttpResource::Kind::bytes, *size};
}

ByteView http_bytes(std::uint64_t from, std::uint64_t size) {
  static constexpr auto pattern = make_pattern();
  return {pattern.data() + from % period, std::min<std::uint64_t>(size, piece_bytes)};
}

}  // namespace serverlab
