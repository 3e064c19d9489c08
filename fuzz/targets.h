#pragma once

// The targets, for the catalogue. Each throws, or a sanitizer ends it, if something is wrong.

#include <string_view>

namespace serverlab::fuzz {

// A session says the same however its input arrives, and keeps its contract (sessions.cpp).
void run_echo_session(std::string_view input);
void run_bucket_session(std::string_view input);
void run_forum_session(std::string_view input);
void run_http_session(std::string_view input);
void run_kv_json_session(std::string_view input);
void run_kv_resp_session(std::string_view input);

// A client half judges replies the same however they arrive (clients.cpp).
void run_echo_client(std::string_view input);
void run_bucket_client(std::string_view input);
void run_forum_client(std::string_view input);
void run_http_client(std::string_view input);
void run_kv_json_client(std::string_view input);
void run_kv_resp_client(std::string_view input);

// What a parser takes, it understands as it was meant (parsers.cpp).
void run_resp_requests(std::string_view input);
void run_json_objects(std::string_view input);
void run_quantities(std::string_view input);

// Any text is an address or refused by a sentence (addresses.cpp).
void run_addresses(std::string_view input);

// Any settings make a service and a workload, or are refused by a sentence (settings.cpp).
void run_settings(std::string_view input);

// Each has a planted bug (canaries.cpp).
void run_overflow_canary(std::string_view input);
void run_difference_canary(std::string_view input);

}  // namespace serverlab::fuzz
