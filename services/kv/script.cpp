#include "services/kv/script.h"

#include "base/mixed.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace serverlab::kv {
namespace {

// A value begins with its key, its writer and its number, in hexadecimal; a short one is cut off,
// and tells less. The key's last digits come first, as they differ the most.
constexpr std::size_t key_digits = 8;
constexpr std::size_t writer_digits = 16;
constexpr std::size_t sequence_digits = 8;
constexpr std::size_t stamp_digits = key_digits + writer_digits + sequence_digits;
constexpr char filling = '.';

void put_hex(char* at, std::size_t digits, std::uint64_t number) {
  for (std::size_t i = 0; i < digits; ++i, number >>= 4U) at[i] = "0123456789abcdef"[number & 15U];
}

std::uint64_t hex(std::string_view digits) {
  std::uint64_t number = 0;
  for (std::size_t i = digits.size(); i-- > 0;) {
    const char c = digits[i];
    number = number << 4U | static_cast<std::uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return number;
}

using Stamp = std::array<char, stamp_digits>;

void put_stamp(char* at, std::uint32_t key, std::uint64_t writer, std::uint32_t sequence) {
  put_hex(at, key_digits, key);
  put_hex(at + key_digits, writer_digits, writer);
  put_hex(at + key_digits + writer_digits, sequence_digits, sequence);
}

}  // namespace

KeyChoice::KeyChoice(std::uint32_t keys, double exponent) : keys_(keys) {
  if (exponent == 0) return;
  cumulated_.reserve(keys);
  double sum = 0;
  for (std::uint32_t rank = 1; rank <= keys; ++rank) {
    cumulated_.push_back(sum += std::pow(rank, -exponent));
  }
}

std::uint32_t KeyChoice::choose(double uniform) const {
  if (cumulated_.empty()) return static_cast<std::uint32_t>(uniform * keys_);
  const auto found = std::ranges::upper_bound(cumulated_, uniform * cumulated_.back());
  return static_cast<std::uint32_t>(
      std::min<std::ptrdiff_t>(found - cumulated_.begin(), keys_ - 1));
}

Script::Script(std::shared_ptr<const ScriptOptions> options, std::uint64_t writer) :
    options_(std::move(options)),
    writer_(mixed(options_->run + writer)),
    random_state_(mixed(writer)),
    value_(std::max<std::size_t>(options_->value_bytes, stamp_digits), filling) {}

ScriptRequest Script::next() {
  const double choice = static_cast<double>(random() >> 11U) * 0x1p-53;
  const std::uint32_t key = options_->keys->choose(choice);
  const bool is_get = static_cast<double>(random() >> 11U) * 0x1p-53 < options_->get_share;
  Written& written = written_[key % written_.size()];
  if (is_get) {
    const bool is_known = written.key == key;
    expect({true, is_known, key, is_known ? written.sequence : drawn_});
    ++drawn_;
    return {.is_get = true, .key = key, .value = {}};
  }
  written = {key, drawn_};
  put_stamp(value_.data(), key, writer_, drawn_);
  expect({false, true, key, drawn_});
  ++drawn_;
  return {false, key, std::string_view(value_).substr(0, options_->value_bytes)};
}

bool Script::may_find(bool found, std::string_view value) const {
  const Expected& wanted = expected();
  if (!found) return !wanted.is_known;
  if (value.size() != options_->value_bytes) return false;
  std::array<char, key_digits> key{};
  put_hex(key.data(), key.size(), wanted.key);
  const std::size_t shown = std::min(value.size(), key.size());
  if (value.substr(0, shown) != std::string_view(key.data(), shown)) return false;
  if (value.size() < stamp_digits) return true;
  if (hex(value.substr(key_digits, writer_digits)) != writer_) return true;
  const std::uint64_t sequence = hex(value.substr(key_digits + writer_digits, sequence_digits));
  return wanted.is_known ? sequence == wanted.sequence : sequence < wanted.sequence;
}

bool Script::is_written(std::string_view value) const {
  Stamp stamp{};
  put_stamp(stamp.data(), expected().key, writer_, expected().sequence);
  const std::size_t shown = std::min(value.size(), stamp.size());
  return value.size() == options_->value_bytes &&
         value.substr(0, shown) == std::string_view(stamp.data(), shown) &&
         value.find_first_not_of(filling, shown) == value.npos;
}

std::string Script::expected_value() const {
  const Expected& wanted = expected();
  const std::string_view which = wanted.is_known ? "the latest value" : "a value";
  const std::string_view none = wanted.is_known ? "" : ", or none";
  return fmt::format("{} of {} bytes of key {}{}", which, options_->value_bytes, wanted.key, none);
}

std::uint64_t Script::random() { return mixed(random_state_++); }

void Script::expect(Expected expected) {
  if (drawn_ - answered_ == expected_.size()) {
    std::vector<Expected> larger(std::max<std::size_t>(1, 2 * expected_.size()));
    const auto mask = static_cast<std::uint32_t>(larger.size() - 1);
    for (std::uint32_t i = answered_; i != drawn_; ++i) larger[i & mask] = expected_[i & mask_];
    expected_ = std::move(larger);
    mask_ = mask;
  }
  expected_[drawn_ & mask_] = expected;
}

}  // namespace serverlab::kv
