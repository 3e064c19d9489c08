// The line that tells when a load begins.

#include "load/told_begin.h"

#include "base/owned_fd.h"

#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <unistd.h>

namespace serverlab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Pipe {
  Pipe() {
    std::array<int, 2> fds{};
    if (::pipe(fds.data()) != 0) std::abort();
    read_end = OwnedFd(fds[0]);
    write_end = OwnedFd(fds[1]);
  }
  void write(std::string_view bytes) const {
    if (::write(write_end.get(), bytes.data(), bytes.size()) < 0) std::abort();
  }

  OwnedFd read_end;
  OwnedFd write_end;
};

std::string line_of(Instant begin) {
  return fmt::format("begin {}\n", begin.time_since_epoch().count());
}

Instant told(const std::string& bytes) {
  Pipe pipe;
  pipe.write(bytes);
  pipe.write_end.close();
  ToldBegin begin(pipe.read_end.get());
  for (;;) {
    if (const auto instant = begin.await(seconds(1))) return *instant;
  }
}

std::string refusal_of(const std::string& bytes) {
  try {
    told(bytes);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ToldBegin, IsTheInstantOfTheLine) {
  const Instant begin = now() + seconds(5);
  EXPECT_EQ(told(line_of(begin)), begin);
}

TEST(ToldBegin, IsToldAgainByTheNextLine) {
  const Instant first = now() + seconds(5);
  const Instant second = first + seconds(1);
  const Pipe pipe;
  pipe.write(line_of(first) + line_of(second));
  ToldBegin begin(pipe.read_end.get());
  EXPECT_EQ(begin.await(seconds(1)), first);
  EXPECT_EQ(begin.await(seconds(1)), second);
}

TEST(ToldBegin, MayHavePassedWhereItIsNotTheFirst) {
  const Instant first = now() + seconds(5);
  const Instant passed = now() - seconds(1);
  const Pipe pipe;
  pipe.write(line_of(first) + line_of(passed));
  ToldBegin begin(pipe.read_end.get());
  EXPECT_EQ(begin.await(seconds(1)), first);
  EXPECT_EQ(begin.await(seconds(1)), passed);
}

TEST(ToldBegin, IsNoneWhileTheLineHasNotCome) {
  const Pipe pipe;
  ToldBegin begin(pipe.read_end.get());
  EXPECT_EQ(begin.await(milliseconds(1)), std::nullopt);
  pipe.write("b");
  EXPECT_EQ(begin.await(milliseconds(1)), std::nullopt);
}

TEST(ToldBegin, RefusesWhatTellsNoInstant) {
  for (const char* const line : {"\n", "begin\n", "begin \n", "begin x\n", "begin 1x\n", "12\n",
                                 "begin 99999999999999999999\n"}) {
    EXPECT_EQ(refusal_of(line), "--begin=told: standard input has a line that is not 'begin NS'");
  }
  EXPECT_EQ(refusal_of(""), "--begin=told: standard input has no line 'begin NS'");
  EXPECT_EQ(refusal_of("begin 12"), "--begin=told: standard input has no line 'begin NS'");
  EXPECT_EQ(refusal_of(std::string(1000, 'b')),
            "--begin=told: standard input has no line 'begin NS'");
}

TEST(ToldBegin, RefusesAnInstantThatHasPassedOrIsFarAway) {
  EXPECT_TRUE(refusal_of(line_of(now() - seconds(2))).ends_with(" s ago"));
  EXPECT_TRUE(refusal_of(line_of(now() + std::chrono::hours(2)))
                  .ends_with(" s from now, which is more than an hour"));
}

}  // namespace
}  // namespace serverlab
