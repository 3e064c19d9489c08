// Both halves of bucket: the grammar in every feeding, totals under concurrency, and the client
// against replies that cannot be.

#include "services/bucket/bucket.h"

#include "services/bucket/client.h"
#include "services/bucket/session.h"
#include "tests/services/feeding.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace serverlab {
namespace {

const std::string bad_format = "Request format is incorrect!\n";

Settings server_settings() {
  Settings settings;
  settings.add(bucket::service_settings());
  settings.set("bucket-delay-unit", "1 ns");
  return settings;
}

// Each session has a server of its own, whose buckets are empty.
Open open_alone(const Settings& settings = server_settings()) {
  return [settings] { return bucket::service(settings).open({}); };
}

TEST(BucketSession, AddsUpInEveryFeeding) {
  EXPECT_EQ(faults(open_alone(), {{"3,5\n", "3\n"},
                                  {"0,5\n", "3\n"},
                                  {"4,5\n", "7\n"},
                                  {"1000000,31\n", "1000000\n"},
                                  {"0,0\n", "0\n"},
                                  {"0,31\n", "1000000\n"}}),
            none);
}

TEST(BucketSession, ClosesAfterOneRequestWhereItIsToldSo) {
  Settings settings = server_settings();
  settings.set("bucket-requests", "one");
  EXPECT_EQ(faults(open_alone(settings), {{"3,5\n", "3\n", true}, {"4,5\n", ""}}), none);
}

void expect_refused(const std::string& line, const std::string& reply) {
  SCOPED_TRACE(line);
  EXPECT_EQ(faults(open_alone(), {{"2,1\n", "2\n"}, {line, reply, true}, {"0,1\n", ""}}), none);
  const Service service = bucket::service(server_settings());
  Bytes output;
  service.open({}).advance(bytes_of(line), output);
  for (const auto& [name, total] : service.figures()) EXPECT_EQ(total, 0) << name;
}

// Each at the byte with which it can no more become a request.
TEST(BucketSession, RefusesWhatTheGrammarDoesNotHave) {
  for (const std::string line : {"\n", ",", "3\n", "3,\n", "3 ", "3,5,", "+", "-", "3,-", "03",
                                 "3,05", "00", " ", "3, ", "3,5 ", "3,5\r", "0x", "3.", "t"}) {
    expect_refused(line, bad_format);
  }
  expect_refused(std::string("3,\0", 3), bad_format);
  expect_refused("1," + std::string(62, '1'), bad_format);
}

TEST(BucketSession, RefusesADelayThatIsTooLongToWaitFor) {
  expect_refused("60000000001", bad_format);  // a minute and 1 ns
  expect_refused("184467440737", bad_format);
  expect_refused("99999999999", bad_format);
}

TEST(BucketSession, RefusesABucketThatThereIsNot) {
  expect_refused("3,32\n", "Invalid Bucket Index: 32\n");
  expect_refused("0,4294967296\n", "Invalid Bucket Index: 4294967296\n");
  expect_refused("0,18446744073709551616\n", "Invalid Bucket Index: 18446744073709551616\n");
}

TEST(BucketSession, LetsNothingPileUp) {
  EXPECT_EQ(faults_without_end(open_alone(), "1", 100), none);
  EXPECT_EQ(faults_without_end(open_alone(), "0,1\n", 100), none);
}

TEST(BucketSession, SaysNothingToALineThatIsNotComplete) {
  AnySession session = open_alone()();
  Bytes output;
  EXPECT_EQ(session.advance(bytes_of("3,5"), output).consumed, 0U);
  EXPECT_TRUE(output.empty());
}

TEST(BucketSession, LetsAReplyGoOutBeforeTheNextDelay) {
  AnySession session = open_alone()();
  Bytes output;
  const Progress progress = session.advance(bytes_of("1,1\n0,1\n1,1\n"), output);
  EXPECT_EQ(progress.next, Next::flush);
  EXPECT_EQ(progress.requests, 2U);
  EXPECT_EQ(text_of(output.view()), "1\n1\n");
}

TEST(BucketSession, BoundsWhatItSaysAtOnce) {
  std::string requests;
  for (int i = 0; i < 100'000; ++i) requests += "0,1\n";
  AnySession session = open_alone()();
  Bytes output;
  EXPECT_EQ(session.advance(bytes_of(requests), output).next, Next::flush);
  EXPECT_LT(output.size(), 66'000U);
}

TEST(BucketService, LosesNoAdditionOfThreadsAtOnce) {
  const Service service = bucket::service(server_settings());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&service] {
      AnySession session = service.open({});
      Bytes output;
      for (int k = 0; k < 10'000; ++k) session.advance(bytes_of("3,7\n"), output);
    });
  }
  threads.clear();
  for (const auto& [name, total] : service.figures()) {
    EXPECT_EQ(total, name == "bucket_7" ? 120'000 : 0) << name;
  }
}

std::shared_ptr<BucketHistory> history(const BucketLoad& load, std::uint32_t connection = 0) {
  return std::make_shared<BucketHistory>(load, connection);
}

std::string next_request(BucketClient& client) {
  Bytes output;
  client.request(output);
  return std::string(text_of(output.view()));
}

// What the client, which asked for delays of 5 in one bucket, thinks of replies in a row.
std::vector<Verdict> verdicts(const std::vector<std::string>& replies) {
  BucketClient client(history({.buckets = 1, .delay_min = 5, .delay_max = 5}));
  std::vector<Verdict> verdicts;
  for (const std::string& reply : replies) {
    next_request(client);
    verdicts.push_back(client.check(bytes_of(reply)).verdict);
  }
  return verdicts;
}

using Verdicts = std::vector<Verdict>;

TEST(BucketClient, ExpectsABucketToGrowByItsOwnDelayAtLeast) {
  EXPECT_EQ(verdicts({"5\n", "10\n", "27\n"}), Verdicts(3, Verdict::correct));
  EXPECT_EQ(verdicts({"4\n"}), Verdicts{Verdict::wrong_content});
  EXPECT_EQ(verdicts({"5\n", "5\n"}), (Verdicts{Verdict::correct, Verdict::wrong_content}));
  EXPECT_EQ(verdicts({"7\n", "11\n"}), (Verdicts{Verdict::correct, Verdict::wrong_content}));
  EXPECT_EQ(verdicts({"7\n", "2\n"}), (Verdicts{Verdict::correct, Verdict::wrong_content}));
}

TEST(BucketClient, ExpectsANumberAndANewline) {
  for (const std::string reply : {"", "5", "18446744073709551615"}) {
    EXPECT_EQ(verdicts({reply}), Verdicts{Verdict::need_more}) << reply;
  }
  for (const std::string reply :
       {"\n", "x\n", "5 \n", "5\r\n", "-5\n", "18446744073709551616\n", "184467440737095516150",
        "018446744073709551615\n", "Invalid Bucket Index: 0\n"}) {
    EXPECT_EQ(verdicts({reply}), Verdicts{Verdict::protocol_error}) << reply;
  }
}

TEST(BucketClient, RemembersAcrossItsConnections) {
  const auto one = history({.buckets = 1, .delay_min = 1, .delay_max = 1});
  BucketClient first(one);
  next_request(first);
  EXPECT_EQ(first.check(bytes_of("10\n")).verdict, Verdict::correct);
  next_request(first);  // whose reply is lost
  BucketClient second(one);
  next_request(second);
  EXPECT_EQ(second.check(bytes_of("10\n")).verdict, Verdict::wrong_content);
}

TEST(BucketWorkload, AsksForEveryDelayAndBucketOfItsRangeAndNoOther) {
  BucketClient client(history({.buckets = 3, .delay_min = 2, .delay_max = 4, .seed = 9}));
  std::set<std::string> asked;
  for (int i = 0; i < 1000; ++i) asked.insert(next_request(client));
  std::set<std::string> all;
  for (int delay = 2; delay <= 4; ++delay) {
    for (int bucket = 0; bucket < 3; ++bucket) all.insert(fmt::format("{},{}\n", delay, bucket));
  }
  EXPECT_EQ(asked, all);
}

TEST(BucketWorkload, AsksTheSameForTheSameSeedAndConnectionAlone) {
  const auto first_ten = [](std::uint64_t seed, std::uint32_t connection) {
    BucketClient client(history({.buckets = 1000, .delay_max = 1000, .seed = seed}, connection));
    std::string asked;
    for (int i = 0; i < 10; ++i) asked += next_request(client);
    return asked;
  };
  EXPECT_EQ(first_ten(1, 2), first_ten(1, 2));
  EXPECT_NE(first_ten(1, 2), first_ten(1, 3));
  EXPECT_NE(first_ten(1, 2), first_ten(5, 2));
}

TEST(BucketWorkload, TakesDelaysOfARangeOrOneAlone) {
  Settings settings;
  settings.add(bucket::workload_settings());
  settings.set("buckets", "1");
  for (const auto& [range, first] : {std::pair("7", "7,0\n"), {"7-7", "7,0\n"}, {"0", "0,0\n"}}) {
    settings.set("bucket-delay", range);
    Bytes output;
    bucket::workload(settings).open(0).request(output);
    EXPECT_EQ(text_of(output.view()), first);
  }
  for (const std::string_view range :
       {"", "-", "1-", "-3", "3-1", "1-3-5", "1,3", "x", "1 - 3", "4294967296", "1-4294967296"}) {
    settings.set("bucket-delay", range);
    EXPECT_THROW(bucket::workload(settings), BadSetting) << range;
  }
}

}  // namespace
}  // namespace serverlab
