// Commands of so many keys that they take several turns.

#include "services/kv/kv.h"
#include "tests/services/feeding.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace serverlab {
namespace {

Service store_for_turns() {
  Settings settings;
  settings.add(kv::service_settings());
  return kv::resp_service(settings, now);
}

std::string bulk_word(std::string_view bytes) {
  return fmt::format("${}\r\n{}\r\n", bytes.size(), bytes);
}

TEST(CommandsOfManyKeys, AreAnsweredInEveryFeeding) {
  constexpr int keys = 600;
  std::string pairs = "MSET";
  std::string names;
  std::string values;
  for (int i = 0; i < keys; ++i) {
    pairs += fmt::format(" k{} {}", i, i);
    names += fmt::format(" k{}", i);
    values += bulk_word(std::to_string(i));
  }
  std::vector<Exchange> conversation;
  const auto ask = [&](const std::string& command, const std::string& reply) {
    std::string request;
    std::size_t words = 0;
    for (std::size_t at = 0, end = 0; at < command.size(); at = end + 1, ++words) {
      end = std::min(command.find(' ', at), command.size());
      request += bulk_word(command.substr(at, end - at));
    }
    conversation.push_back({fmt::format("*{}\r\n{}", words, request), reply});
  };
  ask(pairs, "+OK\r\n");
  ask("MGET" + names, fmt::format("*{}\r\n{}", keys, values));
  ask("EXISTS none" + names + " k0", fmt::format(":{}\r\n", keys + 1));
  ask("DEL none" + names + " k0", fmt::format(":{}\r\n", keys));
  ask("DBSIZE", ":0\r\n");
  EXPECT_EQ(faults([] { return store_for_turns().open({}); }, conversation), none);
}

}  // namespace
}  // namespace serverlab
