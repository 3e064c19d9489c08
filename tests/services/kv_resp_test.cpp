// The Redis protocol on a store: each command with its errors, in every feeding. That these are
// Redis's own answers is shown by tests/conformance/test_as_redis.py.

#include "services/kv/kv.h"
#include "services/kv/resp_request.h"
#include "services/kv/store.h"
#include "tests/services/feeding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace serverlab {
namespace {

using Conversation = std::vector<Exchange>;

constexpr auto not_an_integer = "-ERR value is not an integer or out of range\r\n";
constexpr auto bad_syntax = "-ERR syntax error\r\n";

Service served(std::string_view lock = "mutex", TimeSource time = now) {
  Settings settings;
  settings.add(kv::service_settings());
  settings.set("kv-lock", lock);
  return kv::resp_service(settings, std::move(time));
}

// Each session has a store of its own.
AnySession open_resp() { return served().open({}); }

std::string bulk(std::string_view bytes) {
  return fmt::format("${}\r\n{}\r\n", bytes.size(), bytes);
}

std::string wrong_number(std::string_view command) {
  return fmt::format("-ERR wrong number of arguments for '{}' command\r\n", command);
}

class RespSession : public testing::TestWithParam<Conversation> {};

TEST_P(RespSession, AnswersInEveryFeeding) { EXPECT_EQ(faults(open_resp, GetParam()), none); }

INSTANTIATE_TEST_SUITE_P(
    Values, RespSession,
    testing::Values(Conversation{{"GET k\r\n", "$-1\r\n"},
                                 {"SET k v\r\n", "+OK\r\n"},
                                 {"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", "$1\r\nv\r\n"},
                                 {"set k \"\"\r\n", "+OK\r\n"},
                                 {"get k\r\n", "$0\r\n\r\n"},
                                 {"GET\r\n", wrong_number("get")},
                                 {"GET a b\r\n", wrong_number("get")},
                                 {"SET k\r\n", wrong_number("set")}},
                    Conversation{{"SET k v XX\r\n", "$-1\r\n"},
                                 {"SET k v NX\r\n", "+OK\r\n"},
                                 {"SET k w nx\r\n", "$-1\r\n"},
                                 {"SET k w XX GET\r\n", "$1\r\nv\r\n"},
                                 {"SET n v GET\r\n", "$-1\r\n"},
                                 {"SET k x NX GET\r\n", "$1\r\nw\r\n"},
                                 {"MGET k n none\r\n", "*3\r\n$1\r\nw\r\n$1\r\nv\r\n$-1\r\n"},
                                 {"SET k v NX XX\r\n", bad_syntax},
                                 {"SET k v FOO\r\n", bad_syntax}},
                    Conversation{{"GETSET k 1\r\n", "$-1\r\n"},
                                 {"GETSET k 2\r\n", "$1\r\n1\r\n"},
                                 {"GETSET k\r\n", wrong_number("getset")},
                                 {"APPEND k 34\r\n", ":3\r\n"},
                                 {"APPEND e \"\"\r\n", ":0\r\n"},
                                 {"STRLEN k\r\n", ":3\r\n"},
                                 {"STRLEN none\r\n", ":0\r\n"},
                                 {"EXISTS k k e none\r\n", ":3\r\n"},
                                 {"DEL k k none\r\n", ":1\r\n"},
                                 {"DEL\r\n", wrong_number("del")},
                                 {"EXISTS\r\n", wrong_number("exists")},
                                 {"APPEND k\r\n", wrong_number("append")},
                                 {"STRLEN\r\n", wrong_number("strlen")}},
                    Conversation{{"MSET a 1 b 2 a 3\r\n", "+OK\r\n"},
                                 {"MGET a b\r\n", "*2\r\n$1\r\n3\r\n$1\r\n2\r\n"},
                                 {"MSET a 1 b\r\n", wrong_number("mset")},
                                 {"MSET a\r\n", wrong_number("mset")},
                                 {"MGET\r\n", wrong_number("mget")},
                                 {"DBSIZE\r\n", ":2\r\n"},
                                 {"FLUSHALL\r\n", "+OK\r\n"},
                                 {"DBSIZE\r\n", ":0\r\n"},
                                 {"FLUSHALL ASYNC\r\n", "+OK\r\n"},
                                 {"FLUSHALL now\r\n", bad_syntax}}));

INSTANTIATE_TEST_SUITE_P(
    Counters, RespSession,
    testing::Values(
        Conversation{{"INCR n\r\n", ":1\r\n"},
                     {"INCRBY n 41\r\n", ":42\r\n"},
                     {"DECR n\r\n", ":41\r\n"},
                     {"INCRBY n -50\r\n", ":-9\r\n"},
                     {"GET n\r\n", "$2\r\n-9\r\n"},
                     {"DECRBY n 1\r\n", ":-10\r\n"},
                     {"DECRBY n -9223372036854775808\r\n", "-ERR decrement would overflow\r\n"},
                     {"DECRBY n x\r\n", not_an_integer},
                     {"INCRBY n x\r\n", not_an_integer},
                     {"INCRBY n 9223372036854775808\r\n", not_an_integer},
                     {"INCR\r\n", wrong_number("incr")},
                     {"DECR a b\r\n", wrong_number("decr")},
                     {"INCRBY n\r\n", wrong_number("incrby")}},
        Conversation{{"SET n 9223372036854775807\r\n", "+OK\r\n"},
                     {"INCR n\r\n", "-ERR increment or decrement would overflow\r\n"},
                     {"SET n -9223372036854775808\r\n", "+OK\r\n"},
                     {"DECR n\r\n", "-ERR increment or decrement would overflow\r\n"},
                     {"INCR n\r\n", ":-9223372036854775807\r\n"}},
        Conversation{{"MSET a 1.5 b 07 c +1 d -0 e \"\" f 1e3 g \" 1\" h 9223372036854775808\r\n",
                      "+OK\r\n"},
                     {"INCR a\r\n", not_an_integer},
                     {"INCR b\r\n", not_an_integer},
                     {"INCR c\r\n", not_an_integer},
                     {"INCR d\r\n", not_an_integer},
                     {"INCR e\r\n", not_an_integer},
                     {"INCR f\r\n", not_an_integer},
                     {"INCR g\r\n", not_an_integer},
                     {"INCR h\r\n", not_an_integer},
                     {"GET b\r\n", "$2\r\n07\r\n"}}));

INSTANTIATE_TEST_SUITE_P(
    Lifetimes, RespSession,
    testing::Values(
        Conversation{{"TTL k\r\n", ":-2\r\n"},
                     {"SET k v EX 1000000\r\n", "+OK\r\n"},
                     {"SET k w\r\n", "+OK\r\n"},
                     {"TTL k\r\n", ":-1\r\n"},
                     {"EXPIRE k -1\r\n", ":1\r\n"},
                     {"EXPIRE k 10\r\n", ":0\r\n"},
                     {"EXISTS k\r\n", ":0\r\n"},
                     {"TTL\r\n", wrong_number("ttl")}},
        Conversation{
            {"SET k v EX 0\r\n", "-ERR invalid expire time in 'set' command\r\n"},
            {"SET k v PX -5\r\n", "-ERR invalid expire time in 'set' command\r\n"},
            {"SET k v EX 9223372036854775807\r\n", "-ERR invalid expire time in 'set' command\r\n"},
            {"SET k v EX abc\r\n", not_an_integer},
            {"SET k v EX abc FOO\r\n", bad_syntax},
            {"SET k v EX\r\n", bad_syntax},
            {"SET k v EX 1 PX 1\r\n", bad_syntax},
            {"EXISTS k\r\n", ":0\r\n"}},
        Conversation{{"SET k v\r\n", "+OK\r\n"},
                     {"EXPIRE k 1000 GT\r\n", ":0\r\n"},
                     {"EXPIRE k 1000 XX\r\n", ":0\r\n"},
                     {"EXPIRE k 1000 LT\r\n", ":1\r\n"},
                     {"EXPIRE k 1000 NX\r\n", ":0\r\n"},
                     {"EXPIRE k 2000 LT\r\n", ":0\r\n"},
                     {"EXPIRE k 500 GT\r\n", ":0\r\n"},
                     {"EXPIRE k 2000 gt xx\r\n", ":1\r\n"},
                     {"EXPIRE k 10 FOO\r\n", "-ERR Unsupported option FOO\r\n"},
                     {"EXPIRE k 10 NX XX\r\n",
                      "-ERR NX and XX, GT or LT options at the same time are not compatible\r\n"},
                     {"EXPIRE k 10 GT LT\r\n",
                      "-ERR GT and LT options at the same time are not compatible\r\n"},
                     {"EXPIRE k x\r\n", not_an_integer},
                     {"EXPIRE k 9223372036854775807\r\n",
                      "-ERR invalid expire time in 'expire' command\r\n"},
                     {"EXPIRE k -9223372036854775808\r\n",
                      "-ERR invalid expire time in 'expire' command\r\n"},
                     {"EXPIRE k\r\n", wrong_number("expire")}}));

INSTANTIATE_TEST_SUITE_P(
    Server, RespSession,
    testing::Values(
        Conversation{
            {"PING\r\n", "+PONG\r\n"},
            {"PING hello\r\n", "$5\r\nhello\r\n"},
            {"PING a b\r\n", wrong_number("ping")},
            {"ECHO hello\r\n", "$5\r\nhello\r\n"},
            {"ECHO\r\n", wrong_number("echo")},
            {"SELECT 0\r\n", "+OK\r\n"},
            {"SELECT 1\r\n", "-ERR DB index is out of range\r\n"},
            {"SELECT x\r\n", not_an_integer},
            {"CONFIG GET save\r\n", "*2\r\n$4\r\nsave\r\n$0\r\n\r\n"},
            {"CONFIG GET none\r\n", "*0\r\n"},
            {"CONFIG GET\r\n", wrong_number("config|get")},
            {"CONFIG SET save 1\r\n", "-ERR unknown subcommand 'SET'. Try CONFIG HELP.\r\n"},
            {"INFO\r\n", bulk("# Server\r\nredis_version:7.0.0\r\nredis_mode:standalone\r\n"
                              "\r\n# Keyspace\r\ndb0:keys=0\r\n")}},
        Conversation{
            {"CLIENT GETNAME\r\n", "$-1\r\n"},
            {"CLIENT SETNAME me\r\n", "+OK\r\n"},
            {"CLIENT GETNAME\r\n", "$2\r\nme\r\n"},
            {"CLIENT SETNAME 'a b'\r\n",
             "-ERR Client names cannot contain spaces, newlines or special characters.\r\n"},
            {"CLIENT KILL all\r\n", "-ERR unknown subcommand 'KILL'. Try CLIENT HELP.\r\n"},
            {"COMMAND COUNT\r\n", ":26\r\n"},
            {"COMMAND\r\n", "*0\r\n"},
            {"COMMAND DOCS get\r\n", "*0\r\n"},
            {"COMMAND INFO get\r\n", "*1\r\n$-1\r\n"}},
        Conversation{
            {"FOO\r\n", "-ERR unknown command 'FOO', with args beginning with: \r\n"},
            {"*2\r\n$4\r\nF\r\nO\r\n$1\r\na\r\n",
             "-ERR unknown command 'F  O', with args beginning with: 'a' \r\n"},
            {"'' a b\r\n", "-ERR unknown command '', with args beginning with: 'a' 'b' \r\n"}},
        Conversation{{"QUIT\r\n", "+OK\r\n", true}}));

INSTANTIATE_TEST_SUITE_P(
    Versions, RespSession,
    testing::Values(
        Conversation{{"HELLO 3\r\n",
                      "%6\r\n$6\r\nserver\r\n$9\r\nserverlab\r\n$7\r\nversion\r\n$5\r\n7.0.0\r\n"
                      "$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"
                      "$5\r\nproto\r\n:3\r\n$7\r\nmodules\r\n*0\r\n"},
                     {"GET k\r\n", "_\r\n"},
                     {"CONFIG GET appendonly\r\n", "%1\r\n$10\r\nappendonly\r\n$2\r\nno\r\n"},
                     {"HELLO 4\r\n", "-NOPROTO unsupported protocol version\r\n"},
                     {"GET k\r\n", "_\r\n"}},
        Conversation{{"HELLO x\r\n", "-ERR Protocol version is not an integer or out of range\r\n"},
                     {"HELLO 3 FOO\r\n", "-ERR Syntax error in HELLO option 'FOO'\r\n"},
                     {"HELLO 3 SETNAME\r\n", "-ERR Syntax error in HELLO option 'SETNAME'\r\n"},
                     {"GET k\r\n", "$-1\r\n"}}));

// What is no request ends the conversation, after all that came before it.
INSTANTIATE_TEST_SUITE_P(
    Garbage, RespSession,
    testing::Values(
        Conversation{{"SET k v\r\n", "+OK\r\n"},
                     {"*-1\r\nGET k\r\n", "$1\r\nv\r\n"},
                     {"*1\r\n$-", "-ERR Protocol error: invalid bulk length\r\n", true}},
        Conversation{{"*214748", "-ERR Protocol error: invalid multibulk length\r\n", true}},
        Conversation{{"*1\r\n$9999999", "-ERR Protocol error: invalid bulk length\r\n", true}},
        Conversation{{"*1\r\n\n", "-ERR Protocol error: expected '$', got ' '\r\n", true}},
        Conversation{
            {"ECHO \"a\r\n", "-ERR Protocol error: unbalanced quotes in request\r\n", true}},
        Conversation{{std::string(kv::line_bytes_max, 'a'),
                      "-ERR Protocol error: too big inline request\r\n", true}}));

TEST(RespSessions, LetNothingPileUp) {
  const std::size_t limit = kv::request_bytes_max + kv::line_bytes_max;
  const std::string words = "*4\r\n$4\r\nMSET\r\n" + bulk(std::string(1 << 20, 'v'));
  for (const std::string_view chunk : {"no line", "*", "*1\r\n", "'", "\"\\", "\r\n", "GET k\r\n",
                                       "*2\r\n$1000000\r\n", words.c_str()}) {
    std::string chunks(chunk);
    while (chunks.size() < 1000) chunks += chunk;  // or megabytes would be fed byte by byte
    EXPECT_EQ(faults_without_end(open_resp, chunks, limit), none) << chunk.substr(0, 20);
  }
}

// A session and what it has not consumed.
class Peer {
 public:
  explicit Peer(AnySession session) : session_(std::move(session)) {}

  // @return how much it has replied in this call
  std::size_t advance(std::string_view input) {
    unconsumed_ += input;
    const std::size_t before = replies_.size();
    const Progress progress = session_.advance(bytes_of(unconsumed_), replies_);
    unconsumed_.erase(0, progress.consumed);
    next_ = progress.next;
    requests_ += progress.requests;
    return replies_.size() - before;
  }

  std::string say(std::string_view input) {
    replies_.clear();
    for (advance(input); next_ == Next::flush;) advance({});
    return std::string(text_of(replies_.view()));
  }

  Next next() const { return next_; }
  std::uint32_t requests() const { return requests_; }

 private:
  AnySession session_;
  std::string unconsumed_;
  Bytes replies_;
  Next next_ = Next::read_more;
  std::uint32_t requests_ = 0;
};

TEST(RespSessions, LetRepliesGoOutBeforeThereAreTooMany) {
  constexpr std::size_t value_bytes = 100'000;
  Peer peer(open_resp());
  peer.say("SET k " + std::string(60'000, 'v') + "\r\n");
  peer.say("APPEND k " + std::string(40'000, 'v') + "\r\n");
  std::string gets;
  std::string many = "MGET";
  for (int i = 0; i < 100; ++i) {
    gets += "GET k\r\n";
    many += " k";
  }
  for (const std::string_view asked : {gets, many + "\r\n"}) {
    std::size_t calls = 0;
    for (std::string_view input = asked; calls == 0 || peer.next() == Next::flush; input = {}) {
      EXPECT_LT(peer.advance(input), 2 * value_bytes);
      ++calls;
    }
    EXPECT_GT(calls, 50U);
  }
  EXPECT_EQ(peer.requests(), 103U) << "and all are answered";
}

TEST(RespSessions, RefuseAValueOrANameThatWouldBeTooLong) {
  Peer peer(open_resp());
  peer.say("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n" + bulk(std::string(kv::bulk_bytes_max, 'v')));
  EXPECT_EQ(peer.say("APPEND k v\r\n"),
            "-ERR string exceeds maximum allowed size (proto-max-bulk-len)\r\n");
  EXPECT_EQ(peer.say("STRLEN k\r\n"), ":1048576\r\n");
  EXPECT_EQ(peer.say("CLIENT SETNAME " + std::string(128, 'n') + "\r\n"), "+OK\r\n");
  const auto refusal = "-ERR Client names cannot be longer than 128 bytes\r\n";
  EXPECT_EQ(peer.say("CLIENT SETNAME " + std::string(129, 'n') + "\r\n"), refusal);
  EXPECT_EQ(peer.say("HELLO 3 SETNAME " + std::string(129, 'n') + "\r\n"), refusal);
}

TEST(RespSessions, SayThatMemoryEndsAndServeOn) {
  const std::string oom = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
  const std::string large(3'000, 'v');
  const std::string larger(4'000, 'w');
  Settings settings;
  settings.add(kv::service_settings());
  settings.set("kv-capacity", "4 KiB");
  const auto conversation = [&](const std::string& request) {
    return Conversation{{"SET k " + large + "\r\n", "+OK\r\n"},
                        {request + "\r\n", oom},
                        {"STRLEN k\r\n", ":3000\r\n"},
                        {"DBSIZE\r\n", ":1\r\n"}};
  };
  const Open open = [&] { return kv::resp_service(settings, now).open({}); };
  for (const std::string command : {"SET other ", "SET k x", "GETSET k x", "APPEND k ",
                                    "APPEND other ", "MSET a 1 b 2 k x", "MSET a 1 b "}) {
    EXPECT_EQ(faults(open, conversation(command + larger)), none) << command;
  }
  EXPECT_EQ(faults(open, conversation("SET k " + larger + " GET")), none);
  Conversation frees = conversation("SET other " + large);
  frees.push_back({"SET k 1\r\n", "+OK\r\n"});
  frees.push_back({"SET other " + large + "\r\n", "+OK\r\n"});
  frees.push_back({"DEL other\r\n", ":1\r\n"});
  frees.push_back({"MSET a 1 b 2\r\n", "+OK\r\n"});
  frees.push_back({"INCRBY k 41\r\n", ":42\r\n"});
  EXPECT_EQ(faults(open, frees), none);
}

TEST(RespSessions, RefuseNewCountersWhereMemoryHasEnded) {
  Settings settings;
  settings.add(kv::service_settings());
  settings.set("kv-capacity", "4 KiB");
  Peer peer(kv::resp_service(settings, now).open({}));
  int counters = 0;
  while (peer.say(fmt::format("INCR {}\r\n", counters)) == ":1\r\n") ++counters;
  EXPECT_GT(counters, 10);
  EXPECT_LT(counters, 4096 / static_cast<int>(kv::entry_overhead_bytes));
  EXPECT_EQ(peer.say("INCR 0\r\n"), ":2\r\n");
  EXPECT_TRUE(peer.say("DECR other\r\n").starts_with("-OOM "));
}

TEST(RespSessions, CountRequestsAndNotEmptyOnes) {
  Peer peer(open_resp());
  peer.say("PING\r\n\r\n*0\r\nFOO\r\nGET\r\nQUIT\r\nPING\r\n");
  EXPECT_EQ(peer.requests(), 4U);
}

TEST(RespSessions, ShareAStoreWhateverItsLock) {
  for (const std::string_view lock : {"mutex", "shared", "none-per-loop"}) {
    const Service service = served(lock);
    Peer writer(service.open({}));
    Peer reader(service.open({}));
    writer.say("SET k v\r\n");
    EXPECT_EQ(reader.say("GET k\r\n"), "$1\r\nv\r\n") << lock;
    EXPECT_EQ(service.thread_bound, lock == "none-per-loop");
    EXPECT_EQ(service.figures().front(), (std::pair<std::string_view, double>("keys", 1)));
  }
}

TEST(RespSessions, FindAKeyUntilItsLifetimeIsOver) {
  Instant time{};
  Peer peer(served("mutex", [&time] { return time; }).open({}));
  peer.say("SET long v PX 100000000\r\nSET short v PX 1\r\nSET other v PX 1\r\n");
  EXPECT_EQ(peer.say("TTL long\r\n"), ":100000\r\n");
  time += std::chrono::milliseconds(1) - Duration(1);
  EXPECT_EQ(peer.say("MGET short other\r\n"), "*2\r\n$1\r\nv\r\n$1\r\nv\r\n");
  time += Duration(1);
  EXPECT_EQ(peer.say("MGET long short other\r\n"), "*3\r\n$1\r\nv\r\n$-1\r\n$-1\r\n");
  EXPECT_EQ(peer.say("TTL short\r\n"), ":-2\r\n");
  EXPECT_EQ(peer.say("SET short w NX\r\n"), "+OK\r\n");
  EXPECT_EQ(peer.say("TTL short\r\n"), ":-1\r\n");
  EXPECT_EQ(peer.say("INCR other\r\n"), ":1\r\n") << "what has expired is no value";
  EXPECT_EQ(peer.say("DEL short long other\r\n"), ":3\r\n");
}

TEST(RespSessions, TellTheSecondsThatAreLeftRoundedToTheNearest) {
  Instant time{};
  Peer peer(served("mutex", [&time] { return time; }).open({}));
  peer.say("SET k v\r\nEXPIRE k 10\r\n");
  EXPECT_EQ(peer.say("TTL k\r\n"), ":10\r\n");
  time += std::chrono::milliseconds(2'400);
  EXPECT_EQ(peer.say("TTL k\r\n"), ":8\r\n");
  time += std::chrono::milliseconds(200);
  EXPECT_EQ(peer.say("TTL k\r\n"), ":7\r\n");
  time += std::chrono::milliseconds(7'400);
  EXPECT_EQ(peer.say("TTL k\r\n"), ":-2\r\n");
}

}  // namespace
}  // namespace serverlab
