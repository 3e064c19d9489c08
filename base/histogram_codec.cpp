#include "base/histogram_codec.h"

#include <bit>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <vector>
#include <zlib.h>

namespace serverlab {
namespace {

using Buffer = std::vector<std::uint8_t>;

// The low four bits of a cookie name the word size of the counts; 0x10: of variable length.
constexpr std::uint32_t v2_cookie = 0x1c849303 | 0x10;
constexpr std::uint32_t v2_compressed_cookie = 0x1c849304 | 0x10;

template <std::unsigned_integral Word>
void put_big_endian(Buffer& out, Word word) {
  for (int shift = 8 * (sizeof(Word) - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<std::uint8_t>(word >> shift));
  }
}

// ZigZag LEB128: the sign in the lowest bit, seven bits a byte; a ninth byte, if it comes to that,
// holds eight.
void put_varint(Buffer& out, std::int64_t value) {
  auto bits = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  for (int bytes = 1; bits >= 0x80 && bytes < 9; ++bytes) {
    out.push_back(static_cast<std::uint8_t>(bits | 0x80));
    bits >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(bits));
}

// Counts in index order; a run of n empty buckets is the one number -n.
Buffer encode_counts(const Histogram& histogram) {
  Buffer out;
  if (histogram.count() == 0) return out;
  std::int64_t empty_run = 0;
  for (std::size_t index = 0; index <= histogram.last_index(); ++index) {
    const auto count = static_cast<std::int64_t>(histogram.count_at(index));
    if (count == 0) {
      ++empty_run;
      continue;
    }
    if (empty_run > 0) put_varint(out, -empty_run);
    empty_run = 0;
    put_varint(out, count);
  }
  return out;
}

Buffer encode_v2(const Histogram& histogram) {
  const Buffer counts = encode_counts(histogram);
  Buffer out;
  put_big_endian(out, v2_cookie);
  put_big_endian(out, static_cast<std::uint32_t>(counts.size()));
  put_big_endian(out, std::uint32_t{0});  // normalizing index offset
  put_big_endian(out, static_cast<std::uint32_t>(Histogram::significant_digits));
  put_big_endian(out, static_cast<std::uint64_t>(Histogram::lowest_ns));
  put_big_endian(out, static_cast<std::uint64_t>(Histogram::highest_ns));
  put_big_endian(out, std::bit_cast<std::uint64_t>(1.0));  // integer-to-double conversion ratio
  out.insert(out.end(), counts.begin(), counts.end());
  return out;
}

Buffer deflated(const Buffer& plain) {
  uLongf size = compressBound(plain.size());
  Buffer out(size);
  [[maybe_unused]] const int status = compress(out.data(), &size, plain.data(), plain.size());
  assert(status == Z_OK);  // the bound leaves nothing to go wrong but memory
  out.resize(size);
  return out;
}

std::string base64(const Buffer& bytes) {
  constexpr auto alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < left ? bytes[i + k] : 0U);
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= left ? alphabet[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

}  // namespace

std::string encode(const Histogram& histogram) {
  const Buffer body = deflated(encode_v2(histogram));
  Buffer out;
  put_big_endian(out, v2_compressed_cookie);
  put_big_endian(out, static_cast<std::uint32_t>(body.size()));
  out.insert(out.end(), body.begin(), body.end());
  return base64(out);
}

}  // namespace serverlab
