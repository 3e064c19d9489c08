#include "services/echo/client.h"

#include "base/mixed.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <random>

namespace serverlab {
namespace {

constexpr std::size_t period = std::size_t{16} << 10;

// Random bytes, twice over, so that `period` bytes can be read in one piece from every position.
std::array<std::byte, 2 * period> make_pattern() {
  std::array<std::byte, 2 * period> pattern;
  std::mt19937 random(20'221'862);
  for (std::size_t i = 0; i < period; ++i) {
    pattern[i] = pattern[i + period] = static_cast<std::byte>(random());
  }
  return pattern;
}

// The bytes of a request from position `from` on: all that are left, or as many as lie in
// one piece.
ByteView payload(std::uint32_t connection, std::uint32_t request, std::uint32_t from,
                 std::uint32_t size) {
  static const auto pattern = make_pattern();
  const std::size_t start =
      (std::size_t{connection} * 7919 + std::size_t{request} * 61 + from) % period;
  return {pattern.data() + start, std::min<std::size_t>(size - from, period)};
}

}  // namespace

std::uint32_t PayloadSizes::of(std::uint32_t connection, std::uint32_t request) const {
  if (least == most) return least;
  const std::uint64_t random = mixed(std::uint64_t{connection} << 32U | request);
  return least + static_cast<std::uint32_t>(random % (std::uint64_t{most} - least + 1));
}

std::uint8_t EchoClient::request(Bytes& output) {
  const std::uint32_t size = sizes_.of(connection_, requested_);
  for (std::uint32_t made = 0; made < size;) {
    const ByteView piece = payload(connection_, requested_, made, size);
    output.append(piece);
    made += static_cast<std::uint32_t>(piece.size());
  }
  ++requested_;
  return 0;
}

Checked EchoClient::check(ByteView input) {
  const std::uint32_t size = sizes_.of(connection_, answered_);
  std::size_t consumed = 0;
  while (reply_bytes_ < size && consumed < input.size()) {
    ByteView expected = payload(connection_, answered_, reply_bytes_, size);
    expected = expected.first(std::min(expected.size(), input.size() - consumed));
    if (std::memcmp(expected.data(), input.data() + consumed, expected.size()) != 0) {
      return {consumed, Verdict::wrong_content};
    }
    reply_bytes_ += static_cast<std::uint32_t>(expected.size());
    consumed += expected.size();
  }
  if (reply_bytes_ < size) return {consumed, Verdict::need_more};
  reply_bytes_ = 0;
  ++answered_;
  return {consumed, Verdict::correct};
}

ExpectedReply EchoClient::expected() const {
  const std::uint32_t size = sizes_.of(connection_, answered_);
  const ByteView bytes = payload(connection_, answered_, reply_bytes_, size);
  return {.text = std::string(text_of(bytes)), .is_exact = true};
}

}  // namespace serverlab
