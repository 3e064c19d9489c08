// The JSON protocol on a store: its exchanges in every feeding, and what is not quite JSON.

#include "services/kv/json_objects.h"
#include "services/kv/json_session.h"
#include "services/kv/kv.h"
#include "tests/services/feeding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace serverlab {
namespace {

const std::string invalid = R"({"code":400,"key":"","type":"INVALID","value":""})";

// Each session has a store of its own.
AnySession open_json() {
  Settings settings;
  settings.add(kv::service_settings());
  return kv::json_service(settings, now).open({});
}

std::vector<std::string> faults_of(const std::vector<Exchange>& conversation) {
  return faults(open_json, conversation);
}

TEST(JsonSession, HasTheExchangesOfTheReport) {
  EXPECT_EQ(faults_of({{R"({"key":"7","type":"GET","value":""})",
                        R"({"code":404,"key":"7","type":"GET","value":""})"},
                       {R"({"key":"7","type":"POST","value":"13"})",
                        R"({"code":200,"key":"7","type":"POST","value":"13"})"},
                       {R"({"key":"7","type":"GET","value":""})",
                        R"({"code":200,"key":"7","type":"GET","value":"13"})"},
                       {R"({"key":7,"type":"POST","value":20})",
                        R"({"code":200,"key":"7","type":"POST","value":"20"})"},
                       {R"({"key":"7","type":"GET","value":"","version":-1})",
                        R"({"code":200,"key":"7","type":"GET","value":"20"})"}}),
            none);
}

TEST(JsonSession, TakesObjectsHoweverTheyAreWritten) {
  const std::string posted = R"({"code":200,"key":"k","type":"POST","value":"{\"}"})";
  EXPECT_EQ(
      faults_of({{R"({"value":"{\"}","type":"POST","key":"k"})", posted},
                 {"\r\n\t {\n\"key\" : \"k\" , \"type\" : \"POST\","
                  " \"value\":\"\\u007b\\\"\\u007d\"\r\n}",
                  posted},
                 {R"({"a":{"b":[{"c":"}"}]},"key":"k","type":"GET"})",
                  R"({"code":200,"key":"k","type":"GET","value":"{\"}"})"},
                 {R"({"key":"","type":"POST","value":"é\n"})",
                  R"({"code":200,"key":"","type":"POST","value":"é\n"})"},
                 {R"({"key":-5,"type":"POST","value":18446744073709551615})",
                  R"({"code":200,"key":"-5","type":"POST","value":"18446744073709551615"})"}}),
      none);
}

TEST(JsonSession, AnswersWhatIsNoRequestAndGoesOn) {
  std::vector<Exchange> conversation;
  for (const std::string wrong : {
           "{}",
           R"({"key":"k"})",
           R"({"type":"GET"})",
           R"({"key":"k","type":"get"})",
           R"({"key":"k","type":"PUT","value":"1"})",
           R"({"key":"k","type":"POST"})",
           R"({"key":null,"type":"GET","value":""})",
           R"({"key":["k"],"type":"GET","value":""})",
           R"({"key":{"k":1},"type":"GET","value":""})",
           R"({"key":true,"type":"GET","value":""})",
           R"({"key":1.5,"type":"GET","value":""})",
           R"({"key":18446744073709551616,"type":"GET","value":""})",
           R"({"key":"k","type":5,"value":""})",
           R"({"key":"k","type":"POST","value":null})",
           R"({"key":"k","type":"POST","value":{}})",
           R"({"key" "k"})",
           R"({key:"k","type":"GET"})",
           R"({"key":"k","type":"GET",})",
           R"({"key":"k","type":"GET"]})",
           R"({"key":"\x","type":"GET"})",
           R"({"key":"\ud800","type":"GET"})",
           "{\"key\":\"\xff\xfe\",\"type\":\"GET\"}",
           "{\"key\":\"\xc3\",\"type\":\"GET\"}",
           "{\"key\":\"a\nb\",\"type\":\"GET\"}",
           R"({'key':'k','type':'GET'})",
       }) {
    conversation.push_back({wrong, invalid});
  }
  conversation.push_back({std::string("{\"key\":\"\0\",\"type\":\"GET\"}", 24), invalid});
  conversation.push_back({R"({"key":"k","type":"GET","value":""})",
                          R"({"code":404,"key":"k","type":"GET","value":""})"});
  EXPECT_EQ(faults_of(conversation), none);
}

TEST(JsonSession, EndsWhereNoObjectBegins) {
  const std::string posted = R"({"code":200,"key":"k","type":"POST","value":"v"})";
  for (const std::string garbage : {"x", "}", "[", "\"", "7", "\xff", ",", "GET / HTTP/1.1"}) {
    EXPECT_EQ(faults_of({{R"({"key":"k","type":"POST","value":"v"})", posted},
                         {garbage.substr(0, 1), invalid, true}}),
              none)
        << garbage;
  }
}

// A request of so many bytes.
std::string post_of(std::size_t bytes) {
  const std::string head = R"({"key":"k","type":"POST","value":")";
  return head + std::string(bytes - head.size() - 2, 'v') + "\"}";
}

TEST(JsonSession, TakesRequestsUpToItsLimit) {
  const std::string longest = post_of(kv::json_bytes_max);
  EXPECT_EQ(faults_of({{longest, R"({"code":200,)" + longest.substr(1)}}), none);
}

TEST(JsonSession, EndsAsSoonAsARequestMustExceedItsLimit) {
  const std::string too_long = post_of(kv::json_bytes_max + 1);
  const std::size_t known_at = kv::json_bytes_max - 1;  // a quote and a brace would have to come
  EXPECT_EQ(faults_of({{too_long.substr(0, known_at), invalid, true}}), none);
  EXPECT_EQ(faults_of({{std::string(kv::json_bytes_max / 2, '{') + "{", invalid, true}}), none);
  EXPECT_EQ(faults_of({{std::string(250, '{') + std::string(250, '}'), invalid}}), none);
}

TEST(JsonSession, LetsNothingPileUp) {
  for (const std::string_view chunk : {"{\"a\":", "{", "   ", "\"", "{\"a\":\"", "{\\", "[1,"}) {
    EXPECT_EQ(faults_without_end(open_json, chunk, kv::json_bytes_max), none) << chunk;
  }
}

TEST(JsonSession, SaysThatMemoryEndsAndServesOn) {
  Settings settings;
  settings.add(kv::service_settings());
  settings.set("kv-capacity", "4 KiB");
  const Service service = kv::json_service(settings, now);
  AnySession session = service.open({});
  const auto reply_to = [&](const std::string& request) {
    Bytes output;
    session.advance(bytes_of(request), output);
    return std::string(text_of(output.view()));
  };
  int posted = 0;
  std::string reply;
  do {
    reply = reply_to(fmt::format(R"({{"key":"{}","type":"POST","value":"v"}})", posted));
  } while (reply.starts_with(R"({"code":200)") && ++posted < 1'000);
  EXPECT_EQ(reply, fmt::format(R"({{"code":507,"key":"{}","type":"POST","value":""}})", posted));
  EXPECT_EQ(reply_to(R"({"key":"0","type":"GET"})"),
            R"({"code":200,"key":"0","type":"GET","value":"v"})");
  EXPECT_EQ(reply_to(R"({"key":"0","type":"POST","value":"w"})"),
            R"({"code":200,"key":"0","type":"POST","value":"w"})");
}

TEST(JsonSession, LetsRepliesGoOutBeforeThereAreTooMany) {
  AnySession session = open_json();
  Bytes replies;
  session.advance(bytes_of(post_of(kv::json_bytes_max)), replies);
  std::string gets;
  for (int i = 0; i < 10'000; ++i) gets += R"({"key":"k","type":"GET"})";
  std::uint32_t requests = 0;
  Next next = Next::flush;
  while (next == Next::flush) {
    replies.clear();
    const Progress progress = session.advance(bytes_of(gets), replies);
    EXPECT_LT(replies.size(), std::size_t{66} << 10);
    gets.erase(0, progress.consumed);
    requests += progress.requests;
    next = progress.next;
  }
  EXPECT_EQ(requests, 10'000U);
}

TEST(ObjectScan, EndsAtTheBraceThatMatches) {
  for (const auto& [text, size] : {std::pair(std::string_view("{}{}"), 2U),
                                   {R"({"}":{"a":[{}]}} )", 16U},
                                   {R"({"\"}"})", 7U},
                                   {R"({"\\"}"}")", 6U}}) {
    EXPECT_EQ(kv::ObjectScan().scan(text), size) << text;
    kv::ObjectScan by_bytes;
    for (std::size_t bytes = 1; bytes < size; ++bytes) {
      EXPECT_EQ(by_bytes.scan(text.substr(0, bytes)), 0U) << text;
    }
    EXPECT_EQ(by_bytes.scan(text), size) << text;
  }
  for (const std::string_view begun : {"{", R"({"a":"})", R"({"a\)", "{{}", R"({"\"})"}) {
    EXPECT_EQ(kv::ObjectScan().scan(begun), 0U) << begun;
  }
}

TEST(ObjectScan, TellsHowLongAnObjectMustBecomeAtLeast) {
  for (const auto& [begun, size] :
       {std::pair("{", 2U), {"{{", 4U}, {R"({")", 4U}, {R"({"\)", 6U}, {R"({"a":{"b")", 11U}}) {
    kv::ObjectScan scan;
    EXPECT_EQ(scan.scan(begun), 0U);
    EXPECT_EQ(scan.size_min(), size) << begun;
  }
}

}  // namespace
}  // namespace serverlab
