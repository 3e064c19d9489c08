// Bytes against a std::string that does the same: a queue of bytes has no other meaning.

#include "base/bytes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace serverlab {
namespace {

TEST(Bytes, HoldsNoMemoryUntilSomethingIsAppended) {
  Bytes bytes;
  EXPECT_TRUE(bytes.empty());
  EXPECT_EQ(bytes.view().data(), nullptr);
  bytes.append(ByteView());
  EXPECT_EQ(bytes.view().data(), nullptr);
}

TEST(Bytes, GivesBackWhatWasAppendedInItsOrder) {
  Bytes bytes;
  bytes.append("hello, ");
  bytes.append("world");
  EXPECT_EQ(text_of(bytes.view()), "hello, world");
  bytes.consume(7);
  EXPECT_EQ(text_of(bytes.view()), "world");
  EXPECT_EQ(bytes.size(), 5U);
}

TEST(Bytes, TakesWhatIsWrittenIntoItsRoom) {
  Bytes bytes;
  bytes.append("a");
  const std::span<std::byte> room = bytes.prepare(1000);
  ASSERT_GE(room.size(), 1000U);
  std::fill_n(room.begin(), 1000, std::byte{'b'});
  EXPECT_EQ(text_of(bytes.view()), "a") << "room is not content before it is committed";
  bytes.commit(3);
  EXPECT_EQ(text_of(bytes.view()), "abbb");
}

TEST(Bytes, KeepsItsMemoryWhenClearedAndReturnsItWhenReleased) {
  Bytes bytes;
  bytes.append(std::string(1000, 'x'));
  const std::byte* memory = bytes.view().data();
  bytes.clear();
  EXPECT_TRUE(bytes.empty());
  EXPECT_EQ(bytes.view().data(), memory);
  bytes.release();
  EXPECT_EQ(bytes.view().data(), nullptr);
}

TEST(Bytes, IsEmptyAfterItWasMovedFrom) {
  Bytes first;
  first.append("content");
  Bytes second(std::move(first));
  EXPECT_EQ(text_of(second.view()), "content");
  Bytes third;
  third.append("other content");
  third = std::move(second);
  EXPECT_EQ(text_of(third.view()), "content");
  EXPECT_TRUE(second.empty());  // NOLINT(bugprone-use-after-move): its state is what is tested
}

TEST(Bytes, DoesNotGrowWhileItsContentFitsIntoHalfOfItsMemory) {
  Bytes bytes;
  bytes.append(std::string(100, 'x'));
  const std::size_t memory = bytes.prepare(1).size() + bytes.size();
  for (int i = 0; i < 1000; ++i) {
    bytes.consume(50);
    bytes.append(std::string(50, 'y'));
  }
  EXPECT_EQ(bytes.size(), 100U);
  EXPECT_LE(bytes.prepare(1).size(), memory);
}

TEST(Bytes, BehavesAsAStringThroughManyRandomOperations) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t limit) { return random() % limit; };
  Bytes bytes;
  std::string expected;
  for (int step = 0; step < 20'000; ++step) {
    switch (below(8)) {
      case 0: bytes.consume(expected.size()), expected.clear(); break;
      case 1: bytes.clear(), expected.clear(); break;
      case 2:
        if (below(50) == 0) bytes.release(), expected.clear();
        break;
      case 3:
      case 4: {
        const std::size_t size = below(expected.size() + 1);
        bytes.consume(size);
        expected.erase(0, size);
        break;
      }
      case 5: {
        const std::size_t size = below(300);
        const std::span<std::byte> room = bytes.prepare(size);
        std::fill_n(room.begin(), size, std::byte{'p'});
        bytes.commit(size);
        expected.append(size, 'p');
        break;
      }
      default: {
        const std::string piece(below(300), static_cast<char>('a' + below(26)));
        bytes.append(piece);
        expected += piece;
      }
    }
    ASSERT_EQ(text_of(bytes.view()), expected) << "after step " << step;
    ASSERT_EQ(bytes.empty(), expected.empty());
  }
}

}  // namespace
}  // namespace serverlab
