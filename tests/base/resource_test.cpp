// What an error says of the resource that was short.

#include "base/resource.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <new>
#include <system_error>

namespace serverlab {
namespace {

std::system_error failed(int error) {
  return std::system_error(error, std::generic_category(), "call");
}

TEST(Resource, IsNamedByAShortageOfAnyKindOfError) {
  const Shortage<std::invalid_argument> error(Resource::ports, "there are too few");
  EXPECT_EQ(resource_of(error), Resource::ports);
  EXPECT_STREQ(error.what(), "there are too few");
}

TEST(Resource, IsKnownFromMemoryAndFromFailedCalls) {
  EXPECT_EQ(resource_of(std::bad_alloc()), Resource::memory);
  EXPECT_EQ(resource_of(failed(ENOMEM)), Resource::memory);
  EXPECT_EQ(resource_of(failed(EMFILE)), Resource::descriptors);
  EXPECT_EQ(resource_of(failed(ENFILE)), Resource::descriptors);
  EXPECT_EQ(resource_of(failed(EAGAIN)), Resource::threads);
}

TEST(Resource, IsNoneOfAnyOtherError) {
  EXPECT_EQ(resource_of(failed(EACCES)), std::nullopt);
  EXPECT_EQ(resource_of(std::runtime_error("Too many open files")), std::nullopt);
}

}  // namespace
}  // namespace serverlab
