#include "services/bucket/client.h"

#include "base/mixed.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <string_view>

namespace serverlab {
namespace {

struct Asked {
  std::uint32_t delay;
  std::uint32_t bucket;
};

// What a request of that number asks: made again when its reply comes, instead of kept.
Asked asked(const BucketHistory& history, std::uint64_t request) {
  const BucketLoad& load = history.load;
  const std::uint64_t random = mixed(mixed(load.seed + history.connection) + request);
  const std::uint64_t delays = std::uint64_t{load.delay_max} - load.delay_min + 1;
  return {.delay = load.delay_min + static_cast<std::uint32_t>((random >> 32) % delays),
          .bucket = static_cast<std::uint32_t>((random & 0xFFFF'FFFF) % load.buckets)};
}

}  // namespace

std::uint8_t BucketClient::request(Bytes& output) {
  const Asked next = asked(*history_, history_->requests++);
  constexpr std::size_t longest = 22;  // two numbers of 10 digits, comma and newline
  char* const begin = reinterpret_cast<char*>(output.prepare(longest).data());
  const char* const end = fmt::format_to(begin, "{},{}\n", next.delay, next.bucket);
  output.commit(static_cast<std::size_t>(end - begin));
  return 0;
}

Checked BucketClient::check(ByteView input) {
  constexpr std::size_t digits_max = 20;
  const std::string_view text = text_of(input).substr(0, digits_max + 1);
  std::uint64_t value = 0;
  const char* const begin = text.data();
  const auto [end, error] = std::from_chars(begin, begin + text.size(), value);
  const auto digits = static_cast<std::size_t>(end - begin);
  if (digits == text.size() && digits <= digits_max) return {0, Verdict::need_more};
  if (digits == 0 || digits > digits_max || error != std::errc() || text[digits] != '\n') {
    return {0, Verdict::protocol_error};
  }
  const Asked oldest = asked(*history_, answered_++);
  std::uint64_t& last = history_->values[oldest.bucket];
  const bool has_grown = value >= last && value - last >= oldest.delay;
  if (!has_grown) least_ = last + oldest.delay;
  last = value;
  if (!has_grown) return {0, Verdict::wrong_content};
  return {digits + 1, Verdict::correct};
}

ExpectedReply BucketClient::expected() const {
  return {.text = fmt::format("a number of at least {} and a newline", least_)};
}

}  // namespace serverlab
