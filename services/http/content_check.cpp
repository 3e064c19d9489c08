#include "services/http/content_check.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

namespace serverlab {

std::uint64_t KnownContent::size() const {
  return resource.kind == HttpResource::Kind::echo ? echoed.size() : resource.size;
}

ByteView KnownContent::from(std::uint64_t position) const {
  switch (resource.kind) {
    case HttpResource::Kind::hello: return bytes_of(http_hello.substr(position));
    case HttpResource::Kind::bytes: return http_bytes(position, resource.size - position);
    case HttpResource::Kind::echo: return bytes_of(echoed).subspan(position);
    case HttpResource::Kind::none: break;
  }
  return {};
}

bool ContentCheck::begin(std::optional<std::uint64_t> length) {
  seen_ = {};
  const std::optional<std::uint64_t> required = required_size();
  return !length || !required || length == required;
}

std::size_t ContentCheck::take(ByteView piece) {
  std::size_t right = 0;
  if (check_ == HttpCheck::exact) {
    while (right < piece.size() && seen_.size < known_->size()) {
      ByteView expected = known_->from(seen_.size);
      expected = expected.first(std::min(expected.size(), piece.size() - right));
      if (std::memcmp(expected.data(), piece.data() + right, expected.size()) != 0) return right;
      right += expected.size();
      seen_.size += expected.size();
    }
    return right;
  }
  if (check_ == HttpCheck::same) {
    const auto* bytes = reinterpret_cast<const Bytef*>(piece.data());
    seen_.crc = static_cast<std::uint32_t>(::crc32_z(seen_.crc, bytes, piece.size()));
  }
  seen_.size += piece.size();
  return piece.size();
}

bool ContentCheck::end() {
  const std::optional<std::uint64_t> required = required_size();
  const bool is_right =
      (!required || seen_.size == *required) && (!first_ || seen_.crc == first_->crc);
  if (!first_) first_ = seen_;
  return is_right;
}

std::optional<ByteView> ContentCheck::next() const {
  if (check_ != HttpCheck::exact) return std::nullopt;
  return known_->from(seen_.size);
}

std::optional<std::uint64_t> ContentCheck::required_size() const {
  if (check_ == HttpCheck::exact) return known_->size();
  if (check_ == HttpCheck::status || !first_) return std::nullopt;
  return first_->size;
}

}  // namespace serverlab
