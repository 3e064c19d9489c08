#include "fuzz/catalog.h"

#include "fuzz/targets.h"

#include <algorithm>

namespace serverlab::fuzz {
namespace {

constexpr std::string_view of_session = "a session whose replies depend on how requests arrive";
constexpr std::string_view of_client = "a client whose verdicts depend on how replies arrive";

constexpr Target rows[] = {
    {"echo", of_session, run_echo_session, nullptr},
    {"bucket", of_session, run_bucket_session, &bucket_grammar},
    {"forum", of_session, run_forum_session, &forum_grammar},
    {"http", of_session, run_http_session, &http_grammar},
    {"kv-json", of_session, run_kv_json_session, &json_grammar},
    {"kv-resp", of_session, run_kv_resp_session, &resp_grammar},
    {"echo-client", of_client, run_echo_client, nullptr},
    {"bucket-client", of_client, run_bucket_client, &bucket_grammar},
    {"forum-client", of_client, run_forum_client, &forum_grammar},
    {"http-client", of_client, run_http_client, &http_grammar},
    {"kv-json-client", of_client, run_kv_json_client, &json_grammar},
    {"kv-resp-client", of_client, run_kv_resp_client, &resp_reply_grammar},
    {"resp-requests", "words that change when they are read in pieces, or written and read again",
     run_resp_requests, &resp_grammar},
    {"json-objects", "an object that ends elsewhere for the scan than for the parser",
     run_json_objects, &json_grammar},
    {"quantities", "a duration, size or CPU list that changes when it is printed and read again",
     run_quantities, nullptr},
    {"addresses", "an address that changes when it is printed and read again", run_addresses,
     nullptr},
    {"settings", "settings that end a program without a sentence", run_settings, &settings_grammar},
    {"canary-overflow", "a copy that is longer than its room: planted", run_overflow_canary,
     nullptr, true},
    {"canary-difference", "a session that forgets the first piece of a line: planted",
     run_difference_canary, nullptr, true},
};

}  // namespace

std::span<const Target> targets() { return rows; }

const Target* find_target(std::string_view name) {
  const auto* const found = std::ranges::find(rows, name, &Target::name);
  return found == std::end(rows) ? nullptr : found;
}

}  // namespace serverlab::fuzz
