#include "base/settings.h"
#include "fuzz/arrival.h"
#include "fuzz/targets.h"
#include "services/catalog.h"
#include "services/kv/kv.h"

namespace serverlab::fuzz {
namespace {

/// The service with its state as it begins; `parser` is a setting of the forum's.
Service service_of(std::string_view name, std::string_view parser = "prefix") {
  const ServiceRow& row = *find_service(name);
  Settings settings;
  settings.add(row.service_settings);
  // What a key-value store says depends on the time: it stands still.
  const TimeSource still = [] { return Instant(); };
  if (name == "kv-resp") return kv::resp_service(settings, still);
  if (name == "kv-json") return kv::json_service(settings, still);
  if (name == "forum") settings.set("forum-parser", parser);
  return row.service(settings);
}

}  // namespace

void run_echo_session(std::string_view input) {
  expect_same([] { return service_of("echo").open({}); }, input);
}

void run_bucket_session(std::string_view input) {
  expect_same([] { return service_of("bucket").open({}); }, input);
}

void run_forum_session(std::string_view input) {
  const Said by_prefix = expect_same([] { return service_of("forum").open({}); }, input);
  const Said by_expression =
      said(service_of("forum", "regex-once").open({}), {std::string(input)}, replies_bytes_max);
  if (by_expression != by_prefix) throw difference("the parsers of the forum", input);
}

void run_http_session(std::string_view input) {
  expect_same([] { return service_of("http").open({}); }, input);
}

void run_kv_json_session(std::string_view input) {
  expect_same([] { return service_of("kv-json").open({}); }, input);
}

void run_kv_resp_session(std::string_view input) {
  expect_same([] { return service_of("kv-resp").open({}); }, input);
}

}  // namespace serverlab::fuzz
