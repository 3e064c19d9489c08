// Requests of the Redis protocol as bytes: whole, cut anywhere, wrong and too big.

#include "services/kv/resp_request.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace serverlab::kv {
namespace {

using Status = RespRequest::Status;
using Words = std::vector<std::string>;

struct Read {
  RespRequest request;
  Words words;
};

Read read(std::string_view input) {
  RespArguments arguments;
  RespRequest request = read_request(input, arguments);
  return {std::move(request), Words(arguments.words.begin(), arguments.words.end())};
}

// The error of what is wrong at its last byte and no sooner.
std::string error_at_the_end_of(std::string_view input) {
  for (std::size_t size = 1; size < input.size(); size += input.size() / 1000 + 1) {
    const Read begun = read(input.substr(0, size));
    EXPECT_EQ(begun.request.status, Status::need_more) << "at byte " << size;
  }
  const Read all = read(input);
  EXPECT_EQ(all.request.status, Status::error);
  const Read more = read(std::string(input) + "PING\r\n");
  EXPECT_EQ(more.request.error, all.request.error) << "with something behind it";
  return all.request.error;
}

std::string bulk(std::string_view bytes) {
  return fmt::format("${}\r\n{}\r\n", bytes.size(), bytes);
}

struct GoodCase {
  std::string input;
  Words words;
};

class GoodRequest : public testing::TestWithParam<GoodCase> {};

TEST_P(GoodRequest, IsReadWhateverIsBehindIt) {
  for (const std::string_view behind : {"", "PING\r\n", "*", "\r\n", "\"", "$-1\r\n"}) {
    const Read found = read(GetParam().input + std::string(behind));
    EXPECT_EQ(found.request.status, Status::complete) << found.request.error;
    EXPECT_EQ(found.words, GetParam().words);
    EXPECT_EQ(found.request.bytes, GetParam().input.size());
  }
}

TEST_P(GoodRequest, NeedsMoreAsLongAsItIsNotWhole) {
  const std::string& input = GetParam().input;
  for (std::size_t size = 1; size < input.size(); ++size) {
    const Read begun = read(std::string_view(input).substr(0, size));
    EXPECT_EQ(begun.request.status, Status::need_more) << "at byte " << size;
  }
}

INSTANTIATE_TEST_SUITE_P(Arrays, GoodRequest,
                         testing::Values(GoodCase{"*1\r\n$4\r\nPING\r\n", {"PING"}},
                                         GoodCase{"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", {"GET", "k"}},
                                         GoodCase{"*2\r\n$4\r\nECHO\r\n$0\r\n\r\n", {"ECHO", ""}},
                                         GoodCase{"*1\r\n$6\r\na\r\nb\r\n\r\n", {"a\r\nb\r\n"}},
                                         GoodCase{"*1\r\n$2\r\n$9\r\n", {"$9"}},
                                         GoodCase{"*1\r\n$2\r\n\"'\r\n", {"\"'"}},
                                         GoodCase{"*1\r\n" + bulk({"\0\xff", 2}), {{"\0\xff", 2}}},
                                         GoodCase{"*0\r\n", {}}, GoodCase{"*-1\r\n", {}},
                                         GoodCase{"*-9223372036854775808\r\n", {}}));

INSTANTIATE_TEST_SUITE_P(
    Lines, GoodRequest,
    testing::Values(GoodCase{"PING\r\n", {"PING"}}, GoodCase{"PING\n", {"PING"}},
                    GoodCase{" \tGET  k \r\n", {"GET", "k"}}, GoodCase{"\r\n", {}},
                    GoodCase{"   \n", {}}, GoodCase{"a \"b c\" d\n", {"a", "b c", "d"}},
                    GoodCase{"a 'b c' d\n", {"a", "b c", "d"}}, GoodCase{"'' \"\"\n", {"", ""}},
                    GoodCase{"foo\"bar\"\n", {"foobar"}}, GoodCase{"foo'b r'\n", {"foob r"}},
                    GoodCase{R"("\n\r\t\b\a\\\"\q")"
                             "\n",
                             {"\n\r\t\b\a\\\"q"}},
                    GoodCase{R"("\x41\xfG\x4")"
                             "\n",
                             {"AxfGx4"}},
                    GoodCase{R"('\n\'\\x')"
                             "\n",
                             {R"(\n'\\x)"}},
                    GoodCase{"it\\s\n", {"it\\s"}}, GoodCase{"\x80\xff\n", {"\x80\xff"}},
                    GoodCase{"$4 +OK :1\n", {"$4", "+OK", ":1"}}));

TEST(RespRequest, IsAnErrorWhereAnArrayIsNone) {
  const std::string count = "invalid multibulk length";
  for (const std::string_view header :
       {"*\r\n", "*x\r\n", "*1x\r\n", "* 1\r\n", "*+1\r\n", "*01\r\n", "*-0\r\n", "*1.0\r\n",
        "*65537\r\n", "*2147483648\r\n", "*99999999999999999999\r\n", "*-99999999999999999999\r\n",
        "**1\r\n"}) {
    EXPECT_EQ(error_at_the_end_of(header), count) << header;
  }
}

TEST(RespRequest, IsAnErrorWhereABulkStringIsNone) {
  const std::string size = "invalid bulk length";
  for (const std::string header :
       {"$-1\r\n", "$-9223372036854775808\r\n", "$x\r\n", "$\r\n", "$+4\r\n", "$04\r\n", "$4 \r\n",
        "$1048577\r\n", "$536870912\r\n", "$18446744073709551616\r\n"}) {
    EXPECT_EQ(error_at_the_end_of("*1\r\n" + header), size) << header;
    EXPECT_EQ(error_at_the_end_of("*2\r\n$4\r\nECHO\r\n" + header), size) << header;
  }
  EXPECT_EQ(error_at_the_end_of("*1\r\n:4\r\n"), "expected '$', got ':'");
  EXPECT_EQ(error_at_the_end_of("*1\r\n*1\r\n"), "expected '$', got '*'");
  EXPECT_EQ(error_at_the_end_of("*1\r\nPING\r\n"), "expected '$', got 'P'");
  EXPECT_EQ(error_at_the_end_of("*1\r\n\r\n"), "expected '$', got '\r'");
}

TEST(RespRequest, IsAnErrorWhereQuotesDoNotMatch) {
  for (const std::string_view line :
       {"\"\n", "'\n", "ECHO \"a\n", "ECHO 'a\n", "ECHO a\"\n", "ECHO \"a\\\"\n", "ECHO 'a\\'\n",
        "ECHO \"a\"b\n", "ECHO 'a'b\n", "ECHO \"a\"\"b\"\n", "ECHO \"\\\n"}) {
    EXPECT_EQ(error_at_the_end_of(line), "unbalanced quotes in request") << line;
  }
}

TEST(RespRequest, IsAnErrorWhereALineHasNoEnd) {
  const std::string ones(line_bytes_max, '1');
  EXPECT_EQ(error_at_the_end_of(ones), "too big inline request");
  EXPECT_EQ(error_at_the_end_of(fmt::format("*{}", ones)), "too big mbulk count string");
  EXPECT_EQ(error_at_the_end_of(fmt::format("*1\r\n${}", ones.substr(1))),
            "too big bulk count string");
  EXPECT_EQ(read(ones + "\r\n").request.error, "too big inline request") << "though it ends later";
  EXPECT_EQ(read(ones.substr(1) + "\n").request.status, Status::complete) << "the longest line";
}

TEST(RespRequest, IsAnErrorAsSoonAsItMustExceedItsLimit) {
  const std::string word = bulk(std::string(bulk_bytes_max, 'v'));
  std::string input = "*5\r\n" + word + word + word;
  EXPECT_EQ(read(input).request.status, Status::need_more);
  input += "$1048576\r\n";
  EXPECT_EQ(read(input).request.error, "too big request") << "the fourth cannot be whole";
  EXPECT_EQ(read(input + std::string(3 * bulk_bytes_max, 'v')).request.error, "too big request");
}

TEST(RespRequest, HasAsManyWordsAsItMay) {
  std::string input = fmt::format("*{}\r\n", arguments_max);
  for (std::size_t i = 0; i < arguments_max; ++i) input += "$1\r\na\r\n";
  const Read found = read(input);
  EXPECT_EQ(found.request.status, Status::complete);
  EXPECT_EQ(found.words.size(), arguments_max);
}

}  // namespace
}  // namespace serverlab::kv
