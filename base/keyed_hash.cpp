#include "base/keyed_hash.h"

#include <algorithm>
#include <bit>
#include <random>
#include <sodium/crypto_shorthash.h>

namespace serverlab {
namespace {

HashKey random_key() {
  std::random_device device;
  HashKey key;
  std::ranges::generate(key, [&] { return static_cast<unsigned char>(device()); });
  return key;
}

}  // namespace

std::uint64_t keyed_hash(std::string_view text, const HashKey& key) {
  static_assert(sizeof(HashKey) == crypto_shorthash_KEYBYTES);
  std::array<unsigned char, crypto_shorthash_BYTES> hash;
  crypto_shorthash(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                   key.data());
  return std::bit_cast<std::uint64_t>(hash);
}

const HashKey& process_hash_key() {
  static const HashKey key = random_key();
  return key;
}

}  // namespace serverlab
