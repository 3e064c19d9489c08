#include "base/keyed_hash.h"

#include <gtest/gtest.h>
#include <numeric>
#include <string>

namespace serverlab {
namespace {

// Of the reference implementation: the key 00 01 02 …, texts 00 01 02 … of 0, 1, 8 and 15 bytes.
TEST(KeyedHash, IsSipHash24) {
  HashKey key;
  std::iota(key.begin(), key.end(), 0);
  std::string text(15, '\0');
  std::iota(text.begin(), text.end(), '\0');
  const auto of_the_first = [&](std::size_t bytes) {
    return keyed_hash(std::string_view(text).substr(0, bytes), key);
  };
  EXPECT_EQ(of_the_first(0), 0x726fdb47dd0e0e31U);
  EXPECT_EQ(of_the_first(1), 0x74f839c593dc67fdU);
  EXPECT_EQ(of_the_first(8), 0x93f5f5799a932462U);
  EXPECT_EQ(of_the_first(15), 0xa129ca6149be45e5U);
}

TEST(KeyedHash, HasAKeyThatIsRandomAndStays) {
  EXPECT_NE(process_hash_key(), HashKey{});
  EXPECT_EQ(keyed_hash("text"), keyed_hash("text", process_hash_key()));
  EXPECT_NE(keyed_hash("text"), keyed_hash("text", HashKey{}));
}

}  // namespace
}  // namespace serverlab
