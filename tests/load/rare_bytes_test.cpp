#include "load/rare_bytes.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

TEST(RareBytes, AreAPointerWhileThereAreNone) {
  RareBytes bytes;
  EXPECT_EQ(sizeof bytes, sizeof(void*));
  EXPECT_TRUE(bytes.empty());
  EXPECT_TRUE(bytes.view().empty());
  bytes.append({});
  EXPECT_TRUE(bytes.empty());
  EXPECT_TRUE(bytes.take().empty());
}

TEST(RareBytes, AreAQueueOnceThereAreSome) {
  RareBytes bytes;
  bytes.append(bytes_of("abc"));
  bytes.append(bytes_of("def"));
  bytes.consume(2);
  EXPECT_EQ(text_of(bytes.view()), "cdef");
  const Bytes taken = bytes.take();
  EXPECT_EQ(text_of(taken.view()), "cdef");
  EXPECT_TRUE(bytes.empty());
}

TEST(RareBytes, AreGoneOnceReleased) {
  RareBytes bytes;
  bytes.append(bytes_of("abc"));
  bytes.release();
  EXPECT_TRUE(bytes.empty());
  bytes.append(bytes_of("d"));
  EXPECT_EQ(text_of(bytes.view()), "d");
}

}  // namespace
}  // namespace serverlab
