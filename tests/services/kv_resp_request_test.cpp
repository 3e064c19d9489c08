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

// @param pieces sizes of the input as it grows, before it is whole
Read read(std::string_view input, const std::vector<std::size_t>& pieces = {}) {
  RespArguments arguments;
  RespProgress progress;
  for (const std::size_t size : pieces) {
    const std::string begun(input.substr(0, size));  // somewhere else each time
    RespRequest request = read_request(begun, progress, arguments);
    if (request.status != Status::need_more) return {std::move(request), {}};
  }
  RespRequest request = read_request(input, progress, arguments);
  return {std::move(request), Words(arguments.words.begin(), arguments.words.end())};
}

// The error of what is wrong at its last byte and no sooner, however it arrives.
std::string error_at_the_end_of(std::string_view input) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 1; size < input.size(); size += input.size() / 1000 + 1) {
    sizes.push_back(size);
    const Read begun = read(input.substr(0, size));
    EXPECT_EQ(begun.request.status, Status::need_more) << "at byte " << size;
  }
  const Read all = read(input);
  EXPECT_EQ(read(input, sizes).request.error, all.request.error) << "byte by byte";
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

TEST_P(GoodRequest, IsReadOnFromWhereverItWasCut) {
  const std::string input = GetParam().input + "PING\r\n";
  std::vector<std::size_t> by_bytes;
  for (std::size_t size = 1; size < GetParam().input.size(); ++size) {
    EXPECT_EQ(read(input, {size}).words, GetParam().words) << "at byte " << size;
    EXPECT_EQ(read(input, {size / 2 + 1, size}).words, GetParam().words) << "and before " << size;
    by_bytes.push_back(size);
  }
  const Read found = read(input, by_bytes);
  EXPECT_EQ(found.words, GetParam().words);
  EXPECT_EQ(found.request.bytes, GetParam().input.size());
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
       {"*\r", "*x", "*1x", "* ", "*+", "*01", "*-0", "*-\r", "*1.", "*\n", "*65537", "*99999",
        "*-9223372036854775809", "*-18446744073709551619", "**"}) {
    EXPECT_EQ(error_at_the_end_of(header), count) << header;
  }
}

TEST(RespRequest, IsAnErrorWhereABulkStringIsNone) {
  const std::string size = "invalid bulk length";
  for (const std::string header : {"$-", "$x", "$\r", "$+", "$04", "$4 ", "$1048577", "$9999999"}) {
    EXPECT_EQ(error_at_the_end_of("*1\r\n" + header), size) << header;
    EXPECT_EQ(error_at_the_end_of("*2\r\n$4\r\nECHO\r\n" + header), size) << header;
  }
  EXPECT_EQ(error_at_the_end_of("*1\r\n:"), "expected '$', got ':'");
  EXPECT_EQ(error_at_the_end_of("*1\r\n*"), "expected '$', got '*'");
  EXPECT_EQ(error_at_the_end_of("*1\r\nP"), "expected '$', got 'P'");
  EXPECT_EQ(error_at_the_end_of("*1\r\n\r"), "expected '$', got '\r'");
}

TEST(RespRequest, IsAnErrorWhereQuotesDoNotMatch) {
  for (const std::string_view line :
       {"\"\n", "'\n", "ECHO \"a\n", "ECHO 'a\n", "ECHO a\"\n", "ECHO \"a\\\"\n", "ECHO 'a\\'\n",
        "ECHO \"a\"b", "ECHO 'a'b", "ECHO \"a\"\"", "ECHO \"\\\n", "ECHO '\\\n", "ECHO ''\\"}) {
    EXPECT_EQ(error_at_the_end_of(line), "unbalanced quotes in request") << line;
  }
}

TEST(RespRequest, IsAnErrorWhereALineHasNoEnd) {
  const std::string ones(line_bytes_max, '1');
  EXPECT_EQ(error_at_the_end_of(ones), "too big inline request");
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
  for (const std::vector<std::size_t>& pieces :
       {std::vector<std::size_t>{}, {input.size() / 2, input.size() - 1}}) {
    const Read found = read(input, pieces);
    EXPECT_EQ(found.request.status, Status::complete);
    EXPECT_EQ(found.words.size(), arguments_max);
  }
}

}  // namespace
}  // namespace serverlab::kv
