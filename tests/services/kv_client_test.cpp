// The client halves of the key-value services, and the script behind them: what they ask for, and
// which lies they find.

#include "services/kv/json_client.h"
#include "services/kv/resp_client.h"
#include "services/kv/script.h"

#include <gtest/gtest.h>
#include <set>

namespace serverlab::kv {
namespace {

ScriptOptions options_of(std::uint32_t keys, double get_share, std::uint32_t value_bytes) {
  return {.keys = std::make_shared<KeyChoice>(keys, 0.0),
          .value_bytes = value_bytes,
          .get_share = get_share,
          .run = 7};
}

Script script_of(std::uint32_t keys, double get_share, std::uint32_t value_bytes = 64,
                 std::uint64_t writer = 1) {
  return {std::make_shared<ScriptOptions>(options_of(keys, get_share, value_bytes)), writer};
}

/// A script with one key, all whose requests are answered but the last that was drawn.
class OneKey {
 public:
  explicit OneKey(std::uint64_t writer = 1, std::uint32_t value_bytes = 64) :
      script(script_of(1, 0.5, value_bytes, writer)) {}

  // Draws requests up to a get that comes after so many sets.
  void draw_get(std::size_t sets) {
    for (bool is_get = false; !is_get || written.size() < sets; is_get = draw()) {
    }
  }
  // Draws requests up to a set. @return its value
  std::string draw_set() {
    while (draw()) {
    }
    return written.back();
  }

  Script script;
  std::vector<std::string> written;

 private:
  // @return whether it is a get
  bool draw() {
    if (is_drawn_) script.answered();
    is_drawn_ = true;
    const ScriptRequest request = script.next();
    if (!request.is_get) written.emplace_back(request.value);
    return request.is_get;
  }

  bool is_drawn_ = false;
};

TEST(KeyChoice, AsksEvenlyOrByZipfsLaw) {
  const KeyChoice even(10, 0);
  EXPECT_EQ(even.choose(0), 0U);
  EXPECT_EQ(even.choose(0.35), 3U);
  EXPECT_EQ(even.choose(0x1.fffffffffffffp-1), 9U);
  const KeyChoice zipf(3, 1);  // shares 1, 1/2 and 1/3 of 11/6
  EXPECT_EQ(zipf.choose(0), 0U);
  EXPECT_EQ(zipf.choose(0.545), 0U);
  EXPECT_EQ(zipf.choose(0.546), 1U);
  EXPECT_EQ(zipf.choose(0.818), 1U);
  EXPECT_EQ(zipf.choose(0.819), 2U);
  EXPECT_EQ(zipf.choose(0x1.fffffffffffffp-1), 2U);
}

TEST(Script, AsksForAllKeysInTheSharesThatItWasTold) {
  Script script = script_of(50, 0.9);
  std::set<std::uint32_t> keys;
  int gets = 0;
  for (int i = 0; i < 10'000; ++i) {
    const ScriptRequest request = script.next();
    keys.insert(request.key);
    gets += request.is_get ? 1 : 0;
    script.answered();
  }
  EXPECT_EQ(keys.size(), 50U);
  EXPECT_EQ(*keys.rbegin(), 49U);
  EXPECT_NEAR(gets, 9'000, 200);
}

TEST(Script, SaysOfWhatWasAskedInTheOrderOfTheRequests) {
  Script script = script_of(1000, 0.5);
  std::vector<ScriptRequest> asked;
  for (int turn = 0; turn < 40; ++turn) {
    for (int i = 0; i < turn; ++i) asked.push_back(script.next());
    for (const ScriptRequest& request : asked) {
      ASSERT_EQ(script.expected().key, request.key);
      ASSERT_EQ(script.expected().is_get, request.is_get);
      script.answered();
    }
    asked.clear();
  }
}

TEST(Script, FindsNothingWhereItHasWrittenNothing) {
  Script script = script_of(1, 1);
  script.next();
  EXPECT_TRUE(script.may_find(false, {}));
}

TEST(Script, FindsWhatAGetCannotFind) {
  const std::string of_other = OneKey(2).draw_set();
  OneKey key;
  key.draw_get(2);
  const std::string latest = key.written.back();
  const std::string first = key.written.front();
  EXPECT_EQ(latest.size(), 64U);
  EXPECT_TRUE(key.script.may_find(true, latest));
  EXPECT_TRUE(key.script.may_find(true, of_other)) << "another connection may have written it";
  EXPECT_FALSE(key.script.may_find(true, first)) << "it was overwritten";
  EXPECT_FALSE(key.script.may_find(false, {})) << "it is there";
  EXPECT_FALSE(key.script.may_find(true, latest + "."));
  EXPECT_FALSE(key.script.may_find(true, latest.substr(1)));
  EXPECT_FALSE(key.script.may_find(true, {}));
  std::string of_another_key = latest;
  of_another_key.front() = '1';
  EXPECT_FALSE(key.script.may_find(true, of_another_key));
}

TEST(Script, FindsAValueThatItHasNotWrittenYet) {
  OneKey ahead;
  ahead.draw_get(10);
  OneKey key;
  key.draw_get(2);
  EXPECT_FALSE(key.script.may_find(true, ahead.written.back()));
}

TEST(Script, TellsAsMuchAsAShortValueHolds) {
  OneKey key(1, 4);
  EXPECT_EQ(key.draw_set(), "0000") << "of key 0";
  EXPECT_TRUE(key.script.is_written("0000"));
  key.draw_get(2);
  EXPECT_TRUE(key.script.may_find(true, "0000"));
  EXPECT_FALSE(key.script.may_find(true, "1000"));
  EXPECT_FALSE(key.script.may_find(true, "000"));
}

TEST(Script, KnowsWhatItWrites) {
  OneKey key;
  const std::string value = key.draw_set();
  EXPECT_TRUE(key.script.is_written(value));
  EXPECT_FALSE(key.script.is_written(value + "."));
  EXPECT_FALSE(key.script.is_written(value.substr(1)));
  for (const std::size_t at : {0U, 8U, 31U, 32U, 63U}) {
    std::string other = value;
    other[at] = other[at] == '1' ? '2' : '1';
    EXPECT_FALSE(key.script.is_written(other)) << "at " << at;
  }
}

std::string request_of(auto& client) {
  Bytes output;
  client.request(output);
  return std::string(text_of(output.view()));
}

Checked check(auto& client, std::string_view reply) { return client.check(bytes_of(reply)); }

// What the client says of a reply, after "it is not complete" at each place where it is cut.
Verdict verdict_of(auto& client, std::string_view reply) {
  for (std::size_t size = 0; size < reply.size(); ++size) {
    const Checked begun = check(client, reply.substr(0, size));
    EXPECT_EQ(begun.consumed, 0U);
    EXPECT_EQ(begun.verdict, Verdict::need_more) << "of " << size << " bytes";
  }
  const Checked checked = check(client, std::string(reply) + "+OK\r\n{}");
  EXPECT_EQ(checked.consumed, checked.verdict == Verdict::correct ? reply.size() : 0);
  return checked.verdict;
}

constexpr double only_sets = 0;
constexpr double only_gets = 1;

TEST(RespClient, AsksAsRedisClientsDo) {
  RespClient setter(script_of(1, only_sets, 3));
  EXPECT_EQ(request_of(setter), "*3\r\n$3\r\nSET\r\n$1\r\n0\r\n$3\r\n000\r\n");
  RespClient getter(script_of(1, only_gets));
  EXPECT_EQ(request_of(getter), "*2\r\n$3\r\nGET\r\n$1\r\n0\r\n");
}

TEST(RespClient, TakesRightReplies) {
  RespClient setter(script_of(1, only_sets, 3));
  request_of(setter);
  request_of(setter);
  EXPECT_EQ(verdict_of(setter, "+OK\r\n"), Verdict::correct);
  EXPECT_EQ(verdict_of(setter, "+OK\r\n"), Verdict::correct);
  RespClient getter(script_of(1, only_gets, 3));
  request_of(getter);
  request_of(getter);
  EXPECT_EQ(verdict_of(getter, "$-1\r\n"), Verdict::correct);
  EXPECT_EQ(verdict_of(getter, "$3\r\n000\r\n"), Verdict::correct);
}

TEST(RespClient, FindsLies) {
  RespClient setter(script_of(1, only_sets, 3));
  request_of(setter);
  for (const std::string_view wrong : {"+KO\r\n", "$-1\r\n", ":1\r\n", "$2\r\nOK\r\n", "+\r\n"}) {
    EXPECT_EQ(check(setter, wrong).verdict, Verdict::wrong_content) << wrong;
  }
  RespClient getter(script_of(1, only_gets, 3));
  request_of(getter);
  for (const std::string_view wrong :
       {"+OK\r\n", "$3\r\n001\r\n", "$2\r\n00\r\n", "$4\r\n0000\r\n", "$4294967295\r\n", ":0\r\n",
        "*0\r\n", "$0\r\n\r\n", "$03\r\n00"}) {
    const bool is_begun = wrong == "$03\r\n00";
    EXPECT_EQ(check(getter, wrong).verdict, is_begun ? Verdict::need_more : Verdict::wrong_content)
        << wrong;
  }
  for (const std::string_view none :
       {"-ERR no\r\n", "_\r\n", "\r\n", "hello\r\n", "$-2\r\n", "$x\r\n", "$\r\n", "$3x\r\n000\r\n",
        "$99999999999\r\n", "$3\r\n000xx", "$3\r\n000\n\n"}) {
    EXPECT_EQ(check(getter, none).verdict, Verdict::protocol_error) << none;
  }
  EXPECT_EQ(check(getter, std::string(1000, '$')).verdict, Verdict::protocol_error) << "endless";
}

TEST(RespClient, JudgesALongLineTheSameWithItsEndAndWithout) {
  RespClient client(script_of(1, only_gets, 3));
  request_of(client);
  const std::string line = "+" + std::string(1'000, 'x');
  EXPECT_EQ(check(client, line).verdict, Verdict::protocol_error);
  EXPECT_EQ(check(client, line + "\r\n").verdict, Verdict::protocol_error);
}

TEST(JsonClient, AsksAsTheReportsClientDid) {
  JsonClient setter(script_of(1, only_sets, 3));
  EXPECT_EQ(request_of(setter), R"({"key":"0","type":"POST","value":"000"})");
  JsonClient getter(script_of(1, only_gets));
  EXPECT_EQ(request_of(getter), R"({"key":"0","type":"GET","value":""})");
}

TEST(JsonClient, TakesRightReplies) {
  JsonClient setter(script_of(1, only_sets, 3));
  request_of(setter);
  EXPECT_EQ(verdict_of(setter, R"({"code":200,"key":"0","type":"POST","value":"000"})"),
            Verdict::correct);
  JsonClient getter(script_of(1, only_gets, 3));
  request_of(getter);
  request_of(getter);
  EXPECT_EQ(verdict_of(getter, R"({"code":404,"key":"0","type":"GET","value":""})"),
            Verdict::correct);
  EXPECT_EQ(verdict_of(getter, R"({"code":200,"key":"0","type":"GET","value":"000"})"),
            Verdict::correct);
}

TEST(JsonClient, FindsLies) {
  JsonClient setter(script_of(1, only_sets, 3));
  request_of(setter);
  for (const std::string_view wrong :
       {R"({"code":200,"key":"0","type":"POST","value":"001"})",
        R"({"code":200,"key":"0","type":"POST","value":""})",
        R"({"code":200,"key":"1","type":"POST","value":"000"})",
        R"({"code":200,"key":"0","type":"GET","value":"000"})",
        R"({"code":404,"key":"0","type":"POST","value":""})",
        R"({"code":400,"key":"","type":"INVALID","value":""})",
        R"({"code":200,"key":"0","type":"POST","value":"000","x":1})", "{}"}) {
    EXPECT_EQ(check(setter, wrong).verdict, Verdict::wrong_content) << wrong;
  }
  JsonClient getter(script_of(1, only_gets, 3));
  request_of(getter);
  for (const std::string_view wrong :
       {R"({"code":200,"key":"0","type":"GET","value":"001"})",
        R"({"code":200,"key":"0","type":"GET","value":"0000"})",
        R"({"code":404,"key":"0","type":"GET","value":"000"})",
        R"({"code":200,"key":"0","type":"GET","value":"","x":"})",
        R"({"code":200,"key":"0","type":"GET","value":"000","z":{}})"}) {
    const Checked checked = check(getter, wrong);
    EXPECT_NE(checked.verdict, Verdict::correct) << wrong;
    EXPECT_NE(checked.verdict, Verdict::protocol_error) << wrong;
  }
  for (const std::string_view none : {"x", "[]", " {}", "\r\n"}) {
    EXPECT_EQ(check(getter, none).verdict, Verdict::protocol_error) << none;
  }
  EXPECT_EQ(check(getter, std::string(1000, '{')).verdict, Verdict::protocol_error) << "endless";
}

}  // namespace
}  // namespace serverlab::kv
