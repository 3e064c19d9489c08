#pragma once

// A hash of what peers choose, such as keys. std::hash has a fixed seed: by arithmetic anyone makes
// thousands of texts with one hash, and a table of them is a list. Which texts share a keyed hash,
// only those know who have the key.

#include <array>
#include <cstdint>
#include <string_view>

namespace serverlab {

using HashKey = std::array<unsigned char, 16>;

/// SipHash-2-4 (Aumasson and Bernstein, 2012).
std::uint64_t keyed_hash(std::string_view text, const HashKey& key);

/// This process's, a random one.
const HashKey& process_hash_key();

/// With this process's key.
inline std::uint64_t keyed_hash(std::string_view text) {
  return keyed_hash(text, process_hash_key());
}

}  // namespace serverlab
