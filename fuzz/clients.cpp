#include "fuzz/arrival.h"
#include "fuzz/targets.h"
#include "services/catalog.h"
#include "services/kv/json_client.h"
#include "services/kv/resp_client.h"

namespace serverlab::fuzz {
namespace {

constexpr std::size_t requests = 8;

using Given = std::vector<std::pair<std::string_view, std::string_view>>;

AnyClient client_of(std::string_view service, std::uint32_t connection, const Given& given = {}) {
  const ServiceRow& row = *find_service(service);
  Settings settings;
  settings.add(row.workload_settings);
  for (const auto& [name, value] : given) settings.set(name, value);
  return row.workload(settings).open(connection);
}

/// What a run of its workload would draw anew is always the same here.
kv::Script script() {
  constexpr std::uint32_t keys = 2;
  static const auto options = std::make_shared<const kv::ScriptOptions>(
      kv::ScriptOptions{.keys = std::make_shared<kv::KeyChoice>(keys, 0), .value_bytes = 16});
  return {options, 0};
}

using Verdicts = std::vector<Verdict>;

// Checks replies as the generator does, until one is wrong or all requests are answered.
Verdicts verdicts(AnyClient client, const Pieces& pieces) {
  Bytes asked;
  for (std::size_t i = 0; i < requests; ++i) client.request(asked);
  Verdicts found;
  std::string unchecked;
  for (const std::string& piece : pieces) {
    unchecked += piece;
    while (found.size() < requests && !unchecked.empty()) {
      const Checked checked = client.check(bytes_of(unchecked));
      if (checked.consumed > unchecked.size()) throw Finding("it consumed what has not come");
      unchecked.erase(0, checked.consumed);
      if (checked.verdict == Verdict::need_more) break;
      found.push_back(checked.verdict);
      if (checked.verdict == Verdict::correct) continue;
      client.expected();
      return found;
    }
  }
  return found;
}

template <class OpenClient>
void expect_same_verdicts(OpenClient open, std::string_view replies) {
  const std::vector<Pieces> ways = ways_to_arrive(replies);
  const Verdicts whole = verdicts(open(), ways.front());
  for (const Pieces& pieces : ways) {
    if (verdicts(open(), pieces) == whole) continue;
    throw difference(fmt::format("verdicts of 1 piece and of {} pieces", pieces.size()), replies);
  }
}

}  // namespace

void run_echo_client(std::string_view input) {
  expect_same_verdicts([] { return client_of("echo", 0, {{"payload-max", "70 B"}}); }, input);
}

void run_bucket_client(std::string_view input) {
  expect_same_verdicts([] { return client_of("bucket", 0, {{"buckets", "2"}}); }, input);
}

void run_forum_client(std::string_view input) {
  expect_same_verdicts([] { return client_of("forum", 0, {{"forum-framing", "lf"}}); }, input);
  const Given of_reader = {{"forum-asks", "all"}, {"forum-reads", "walk"}};
  expect_same_verdicts([&] { return client_of("forum", 1, of_reader); }, input);
}

void run_http_client(std::string_view input) {
  static const Given loads[] = {
      {},
      {{"http-path", "/bytes/3"}, {"http-check", "same"}},
      {{"http-path", "/echo"}, {"http-method", "POST"}, {"http-body", "hello"}},
      {{"http-method", "HEAD"}, {"http-check", "length"}},
  };
  for (const Given& load : loads) {
    expect_same_verdicts([&] { return client_of("http", 0, load); }, input);
  }
}

void run_kv_json_client(std::string_view input) {
  expect_same_verdicts([] { return AnyClient(kv::JsonClient(script())); }, input);
}

void run_kv_resp_client(std::string_view input) {
  expect_same_verdicts([] { return AnyClient(kv::RespClient(script())); }, input);
}

}  // namespace serverlab::fuzz
