// What a session does for each byte that it receives, counted: an unfinished request that arrives
// in pieces must not be read from its start at each of them.
//
// The sources of all services are compiled for this test in such a way that each basic block calls
// a counter (CMakeLists.txt). So a session cannot forget to count, and the count is the same on
// every machine. Loops of the C library are counted by the byte.

#include "engines/connections/conversation.h"
#include "services/catalog.h"
#include "services/kv/json_objects.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <vector>

namespace {

std::uint64_t work_done = 0;  // basic blocks, and bytes that the C library looked at

}  // namespace

extern "C" {

void __sanitizer_cov_trace_pc() { ++work_done; }

// The linker leads the sessions' calls of memchr to __wrap_memchr, and its own to memchr.
void* __real_memchr(const void* bytes, int wanted, std::size_t size);
void* __wrap_memchr(const void* bytes, int wanted, std::size_t size) {
  void* const found = __real_memchr(bytes, wanted, size);
  work_done += found == nullptr ? size
                                : static_cast<std::size_t>(static_cast<const char*>(found) -
                                                           static_cast<const char*>(bytes));
  return found;
}

int __real_memcmp(const void* a, const void* b, std::size_t size);
int __wrap_memcmp(const void* a, const void* b, std::size_t size) {
  work_done += size;
  return __real_memcmp(a, b, size);
}

void* __real_memcpy(void* to, const void* from, std::size_t size);
void* __wrap_memcpy(void* to, const void* from, std::size_t size) {
  work_done += size;
  return __real_memcpy(to, from, size);
}

void* __real_memmove(void* to, const void* from, std::size_t size);
void* __wrap_memmove(void* to, const void* from, std::size_t size) {
  work_done += size;
  return __real_memmove(to, from, size);
}
}

namespace serverlab {
namespace {

struct Unfinished {
  std::string service;
  std::string name;
  std::string begun;  // lacks its end
  std::string end;
  std::string setting = {};  // of the service, as name=value

  friend void PrintTo(const Unfinished& request, std::ostream* to) {
    *to << request.service << ": " << request.name;
  }
};

std::string repeated(std::string_view unit, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += unit;
  return text;
}

const std::string get = "GET / HTTP/1.1\r\nHost: x\r\n";
const std::string post = "POST /echo HTTP/1.1\r\nHost: x\r\n";
const std::string chunked = post + "Transfer-Encoding: chunked\r\n\r\n";
const std::string posted = "POST@a#" + std::string(60'000, 'x');
const std::string posted_for_expressions = "POST@a#" + std::string(3'000, 'x');  // they are slow

// Every kind of unfinished request of each service.
const Unfinished all_unfinished[] = {
    {"echo", "bytes", std::string(10'000, 'x'), "x"},
    {"bucket", "a long line", "1," + std::string(60, '1'), "\n"},
    {"forum", "a long line", posted, "\n"},
    {"forum", "a long line for expressions", posted_for_expressions, "\n",
     "forum-parser=regex-once"},
    {"forum", "a long line for new expressions", posted_for_expressions, "\n",
     "forum-parser=regex"},
    {"forum", "a line that is too long", posted + posted, "\n"},
    {"http", "a long request line", "GET /" + std::string(8'000, 'x'),
     " HTTP/1.1\r\nHost: x\r\n\r\n"},
    {"http", "a long field", get + "A: " + std::string(8'000, 'x'), "\r\n\r\n"},
    {"http", "many fields", get + repeated("A: b\r\n", 1'300), "\r\n"},
    {"http", "a sized body", post + "Content-Length: 100000\r\n\r\n" + std::string(99'999, 'x'),
     "x"},
    {"http", "a sized body that is not asked for",
     "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + std::string(99'999, 'x'),
     "x"},
    {"http", "a large chunk", chunked + "186a0\r\n" + std::string(100'000, 'x'), "\r\n0\r\n\r\n"},
    {"http", "many chunks", chunked + repeated("1\r\nx\r\n", 5'000), "0\r\n\r\n"},
    {"http", "a long chunk size", chunked + std::string(8'000, '0'), "\r\n\r\n"},
    {"http", "chunks with extensions",
     chunked + repeated("1;" + std::string(200, 'e') + "\r\nx\r\n", 50), "0\r\n\r\n"},
    {"http", "many trailers", chunked + "0\r\n" + repeated("A: b\r\n", 1'300), "\r\n"},
    {"http", "a long trailer", chunked + "0\r\nA: " + std::string(8'000, 'x'), "\r\n\r\n"},
    {"http", "blank lines", repeated("\r\n", 5'000), get + "\r\n"},
    {"kv-json", "a long string", R"({"key":")" + std::string(500, 'k'), "\"}"},
    {"kv-json", "escapes", R"({"key":")" + repeated("\\\"", 250), "\"}"},
    {"kv-json", "deep objects", repeated("{\"\":", 100) + "1", std::string(100, '}')},
    {"kv-json", "many members", "{" + repeated("\"a\":1,", 80), "\"a\":1}"},
    {"kv-json", "white space", std::string(10'000, ' '), "{}"},
    {"kv-resp", "many words", "*1000\r\n" + repeated("$0\r\n\r\n", 999), "$0\r\n\r\n"},
    {"kv-resp", "a large word", "*2\r\n$4\r\nECHO\r\n$100000\r\n" + std::string(99'999, 'v'),
     "v\r\n"},
    {"kv-resp", "many words before a large one",
     "*1000\r\n" + repeated("$0\r\n\r\n", 999) + "$20000\r\n" + std::string(19'999, 'v'), "v\r\n"},
    {"kv-resp", "a long line", "ECHO " + std::string(60'000, 'x'), "\r\n"},
    {"kv-resp", "a long line in quotes", "ECHO \"" + repeated("\\x41", 10'000), "\"\r\n"},
    {"kv-resp", "a line of many words", "MGET" + repeated(" k", 10'000), "\r\n"},
    {"kv-resp", "many empty requests", repeated("*0\r\n", 5'000), "PING\r\n"},
};

/// One connection, as an engine drives it.
class Peer {
 public:
  explicit Peer(const Unfinished& request) :
      conversation_(Conversation::no_socket, service_of(request).open({}), stop_) {}

  // @return the work that it takes to receive the input in pieces of so many bytes
  std::uint64_t receive(std::string_view input, std::size_t piece) {
    const std::uint64_t before = work_done;
    for (; !input.empty(); input.remove_prefix(std::min(piece, input.size()))) {
      Next next = conversation_.advance(bytes_of(input.substr(0, piece)), output_);
      while (next == Next::flush) next = conversation_.advance({}, output_);
    }
    return work_done - before;
  }

  // @return the work of each turn that it takes
  std::vector<std::uint64_t> turns_of(std::string_view input) {
    std::vector<std::uint64_t> turns;
    Next next = Next::flush;
    for (; next == Next::flush; input = {}) {
      const std::uint64_t before = work_done;
      next = conversation_.advance(bytes_of(input), output_);
      turns.push_back(work_done - before);
      output_.clear();  // it has been sent
    }
    return turns;
  }

  std::string_view replies() const { return text_of(output_.view()); }

 private:
  static Service service_of(const Unfinished& request) {
    const ServiceRow& row = *find_service(request.service);
    Settings settings;
    settings.add(row.service_settings);
    if (const std::size_t sign = request.setting.find('='); sign != std::string::npos) {
      settings.set(request.setting.substr(0, sign), request.setting.substr(sign + 1));
    }
    return row.service(settings);
  }

  StopSignal stop_;
  Conversation conversation_;
  Bytes output_;
};

std::string name_of(const testing::TestParamInfo<Unfinished>& info) {
  std::string name = fmt::format("{} {}", info.param.service, info.param.name);
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class UnfinishedRequest : public testing::TestWithParam<Unfinished> {};

constexpr std::size_t pieces[] = {1, 2, 7, 50};

// If all bytes were read again with each piece, the last quarter would cost seven times as much as
// the first. Twice is for buffers that double now and then.
TEST_P(UnfinishedRequest, CostsNoMoreAByteThanAtItsBeginning) {
  const std::string_view begun = GetParam().begun;
  const std::size_t quarter = begun.size() / 4;
  for (const std::size_t piece : pieces) {
    Peer peer(GetParam());
    const std::uint64_t first = peer.receive(begun.substr(0, quarter), piece);
    peer.receive(begun.substr(quarter, 2 * quarter), piece);
    const std::uint64_t last = peer.receive(begun.substr(3 * quarter, quarter), piece);
    ASSERT_LE(last, 2 * first) << "in pieces of " << piece;
  }
}

// The bytes of a request in pieces may be read a second time when it is complete, and each piece
// has a cost of its own.
TEST_P(UnfinishedRequest, CostsAtMostTwiceAsMuchInPieces) {
  constexpr std::uint64_t piece_costs = 1'000;
  const std::string all = GetParam().begun + GetParam().end;
  Peer whole(GetParam());
  const std::uint64_t at_once = whole.receive(all, all.size());
  ASSERT_FALSE(whole.replies().empty());
  for (const std::size_t piece : pieces) {
    Peer peer(GetParam());
    const std::uint64_t in_pieces = peer.receive(all, piece);
    ASSERT_LE(in_pieces, 2 * at_once + piece_costs * (all.size() / piece + 1))
        << "in pieces of " << piece << "; at once it costs " << at_once;
    EXPECT_EQ(peer.replies(), whole.replies());
  }
}

INSTANTIATE_TEST_SUITE_P(Services, UnfinishedRequest, testing::ValuesIn(all_unfinished), name_of);

TEST(UnfinishedRequests, AreThoseOfEveryService) {
  std::set<std::string_view> with_requests;
  for (const Unfinished& request : all_unfinished) with_requests.insert(request.service);
  for (const ServiceRow& row : services()) {
    EXPECT_TRUE(with_requests.contains(row.name)) << row.name;
  }
}

// 16 bytes each, all with one std::hash: what libstdc++ does with the first 8 (MurmurHash64A), the
// last 8 undo.
std::vector<std::string> keys_of_one_hash(std::size_t count) {
  constexpr std::uint64_t factor = 0xc6a4a7935bd1e995;
  std::uint64_t inverse = factor;  // of an odd number modulo 2^64, by Newton's method
  for (int i = 0; i < 5; ++i) inverse *= 2 - factor * inverse;
  const auto mix = [](std::uint64_t value) { return value ^ (value >> 47U); };  // its own inverse
  constexpr std::size_t key_bytes = 16;
  std::vector<std::string> keys;
  for (std::uint64_t first = 0; first < count; ++first) {
    std::uint64_t hash = std::uint64_t{0xc70f6907} ^ (key_bytes * factor);
    hash = (hash ^ (mix(first * factor) * factor)) * factor;
    const std::uint64_t second = mix(hash * inverse) * inverse;
    std::string& key = keys.emplace_back(key_bytes, '\0');
    std::memcpy(key.data(), &first, sizeof first);
    std::memcpy(key.data() + sizeof first, &second, sizeof second);
  }
  return keys;
}

TEST(KeysOfOneHash, CostNoMoreThanOthers) {
  std::vector<std::string> others;
  for (int i = 0; i < 2'000; ++i) others.push_back(fmt::format("key {:012}", i));
  const std::vector<std::string> keys = keys_of_one_hash(others.size());
  for (const std::string& key : keys) {
    ASSERT_EQ(std::hash<std::string>()(key), std::hash<std::string>()(keys.front()));
  }
  const auto work_of = [](const std::vector<std::string>& asked) {
    std::string request = fmt::format("*{}\r\n$4\r\nMSET\r\n", 1 + 2 * asked.size());
    for (const std::string& key : asked) request += fmt::format("$16\r\n{}\r\n$1\r\nv\r\n", key);
    return Peer({.service = "kv-resp"}).receive(request, request.size());
  };
  EXPECT_LE(5 * work_of(keys), 6 * work_of(others));
}

TEST(CommandsOfManyKeys, TakeManyTurns) {
  for (const std::string command : {"DEL", "EXISTS", "MGET", "MSET"}) {
    const int words = 40'000;
    std::string request = fmt::format("*{}\r\n${}\r\n{}\r\n", 1 + words, command.size(), command);
    for (int i = 0; i < words; ++i) request += fmt::format("$5\r\n{:05}\r\n", i);
    const std::string_view last_bytes = std::string_view(request).substr(request.size() - 1);
    Peer peer({.service = "kv-resp"});
    peer.receive(std::string_view(request).substr(0, request.size() - 1), request.size());
    const std::vector<std::uint64_t> turns = peer.turns_of(last_bytes);
    ASSERT_GT(turns.size(), 50U) << command;
    const std::uint64_t longest = *std::ranges::max_element(turns.begin() + 1, turns.end());
    const std::uint64_t all = std::accumulate(turns.begin() + 1, turns.end(), std::uint64_t{0});
    EXPECT_LT(20 * longest, all) << command;  // the first has read all words, too
  }
}

TEST(ManyRequestsAtOnce, CostNoMoreEachThanFew) {
  const std::pair<std::string, std::string> requests[] = {{"bucket", "1,1\n"},
                                                          {"forum", "LIST\n"},
                                                          {"http", get + "\r\n"},
                                                          {"kv-json", "{}"},
                                                          {"kv-resp", "*1\r\n$4\r\nPING\r\n"}};
  for (const auto& [service, request] : requests) {
    const auto work_of = [&](std::size_t count) {
      const std::string all = repeated(request, count);
      return Peer({.service = service}).receive(all, all.size());
    };
    EXPECT_LE(work_of(10'000), 20 * work_of(1'000)) << service;
  }
}

// The instrument counts both kinds of work, or every session would pass.
TEST(Work, IsCounted) {
  const std::string text = "{" + std::string(1'000, 'x');
  const std::uint64_t before = work_done;
  kv::ObjectScan().scan(text);
  const std::uint64_t in_blocks = work_done - before;
  EXPECT_GE(in_blocks, text.size());
  EXPECT_EQ(text.find('y'), text.npos);
  EXPECT_GE(work_done - before - in_blocks, text.size()) << "by the C library";
}

}  // namespace
}  // namespace serverlab
