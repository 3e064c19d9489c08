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

TEST(LargeValues, GoOutInPiecesWhateverBecomesOfTheirKeys) {
  const std::string value(1'000'000, 'v');
  Service service = store_for_turns();
  AnySession asking = service.open({});
  AnySession changing = service.open({});
  const auto say = [](AnySession& session, const std::string& request) {
    Bytes output;
    session.advance(bytes_of(request), output);
    return std::string(text_of(output.view()));
  };
  const auto held_bytes = [&] { return service.figures()[1].second; };
  const std::string set = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n" + bulk_word(value);
  for (const std::string& change : {std::string("DEL k\r\n"), set, std::string("SET k v\r\n"),
                                    std::string("APPEND k v\r\n"), std::string("FLUSHALL\r\n")}) {
    SCOPED_TRACE(change.substr(0, 40));
    say(changing, set);
    Bytes output;
    std::string input = "GET k\r\nPING\r\n";
    Progress progress = asking.advance(bytes_of(input), output);
    EXPECT_EQ(progress.next, Next::flush);
    say(changing, change);
    EXPECT_GE(held_bytes(), value.size()) << "what is being sent counts";
    for (input.erase(0, progress.consumed); progress.next == Next::flush;) {
      const std::size_t before = output.size();
      progress = asking.advance(bytes_of(input), output);
      input.erase(0, progress.consumed);
      EXPECT_LE(output.size() - before, 70'000U);
    }
    EXPECT_EQ(text_of(output.view()), bulk_word(value) + "+PONG\r\n");
    say(changing, "FLUSHALL\r\n");
    EXPECT_EQ(held_bytes(), 0);
  }
}

TEST(LargeValues, AreRepliedByEachCommand) {
  const std::string value(100'000, 'v');
  const std::string set = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n" + bulk_word(value);
  const std::string get_set = "*3\r\n$6\r\nGETSET\r\n$1\r\nk\r\n" + bulk_word(value + "2");
  const auto whole = [&](const std::vector<Exchange>& conversation) {
    AnySession session = store_for_turns().open({});
    for (const Exchange& exchange : conversation) {
      std::string input = exchange.input;
      Bytes output;
      Next next = Next::flush;
      while (next == Next::flush) {
        const Progress progress = session.advance(bytes_of(input), output);
        input.erase(0, progress.consumed);
        next = progress.next;
      }
      EXPECT_EQ(text_of(output.view()), exchange.output) << exchange.input.substr(0, 20);
    }
  };
  whole({{set, "+OK\r\n"},
         {get_set, bulk_word(value)},
         {"SET k x GET\r\n", bulk_word(value + "2")},
         {set, "+OK\r\n"},
         {"APPEND k x\r\n", ":100001\r\n"},
         {"APPEND k y\r\n", ":100002\r\n"},
         {"STRLEN k\r\n", ":100002\r\n"},
         {"SET k z NX GET\r\n", bulk_word(value + "xy")},
         {"INCR k\r\n", "-ERR value is not an integer or out of range\r\n"},
         {"MGET k none k\r\n",
          "*3\r\n" + bulk_word(value + "xy") + "$-1\r\n" + bulk_word(value + "xy")}});
}

}  // namespace
}  // namespace serverlab
