#include "services/kv/resp_commands.h"

#include "services/kv/resp_values.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace serverlab::kv {
namespace {

using Words = std::span<const std::string_view>;

RespReply reply_of(const RespCall& call) { return {call.output, call.version}; }

// The name as it was typed, in the words that Redis has for one it does not know.
std::string unknown(Words words) {
  constexpr std::size_t shown_max = 128;
  std::string text = fmt::format("ERR unknown command '{}', with args beginning with: ",
                                 words[0].substr(0, shown_max));
  for (const std::string_view word : words.subspan(1)) {
    if (text.size() > shown_max) break;
    text += fmt::format("'{}' ", word.substr(0, shown_max));
  }
  std::ranges::replace_if(text, [](char c) { return c == '\r' || c == '\n'; }, ' ');
  return text;
}

void ping(const RespCall& call) {
  call.words.size() > 1 ? reply_of(call).bulk(call.words[1]) : reply_of(call).simple("PONG");
}

void echo(const RespCall& call) { reply_of(call).bulk(call.words[1]); }

void select(const RespCall& call) {
  call.words[1] == "0" ? reply_of(call).ok() : reply_of(call).error("ERR DB index is out of range");
}

void flush_all(const RespCall& call) {
  call.store.clear();
  reply_of(call).ok();
}

void db_size(const RespCall& call) {
  reply_of(call).integer(static_cast<std::int64_t>(call.store.size()));
}

void info(const RespCall& call) {
  reply_of(call).bulk(
      fmt::format("# Server\r\nredis_version:7.0.0\r\nredis_mode:standalone\r\n"
                  "# Keyspace\r\ndb0:keys={},expires=0,avg_ttl=0\r\n",
                  call.store.size()));
}

// What clients ask before they begin; whoever wants to know the commands has Redis's own lists.
void command(const RespCall& call) {
  if (call.words.size() == 1) return reply_of(call).array(0);
  if (is_word(call.words[1], "count")) return reply_of(call).integer(0);
  if (is_word(call.words[1], "docs")) return reply_of(call).map(0);
  reply_of(call).array(0);
}

// redis-benchmark asks for these two, to print what it measures.
void config(const RespCall& call) {
  if (!is_word(call.words[1], "get") || call.words.size() < 3) {
    return reply_of(call).error("ERR CONFIG knows only GET here");
  }
  constexpr std::pair<std::string_view, std::string_view> known[] = {{"save", ""},
                                                                     {"appendonly", "no"}};
  const auto* const found = std::ranges::find_if(
      known, [&](const auto& row) { return is_word(call.words[2], row.first); });
  reply_of(call).map(found == std::end(known) ? 0 : 1);
  if (found == std::end(known)) return;
  reply_of(call).bulk(found->first);
  reply_of(call).bulk(found->second);
}

void client(const RespCall& call) {
  if (is_word(call.words[1], "id")) return reply_of(call).integer(1);
  if (is_word(call.words[1], "getname")) return reply_of(call).null();
  reply_of(call).ok();
}

void hello(const RespCall& call) {
  if (call.words.size() > 1) {
    const bool is_known = call.words[1] == "2" || call.words[1] == "3";
    if (!is_known) return reply_of(call).error("NOPROTO unsupported protocol version");
    call.version = call.words[1] == "3" ? RespVersion::resp3 : RespVersion::resp2;
  }
  RespReply reply = reply_of(call);
  constexpr std::pair<std::string_view, std::string_view> about[] = {
      {"server", "serverlab"}, {"version", "7.0.0"}, {"mode", "standalone"}, {"role", "master"}};
  reply.map(std::size(about) + 2);
  for (const auto& [name, value] : about) {
    reply.bulk(name);
    reply.bulk(value);
  }
  reply.bulk("proto");
  reply.integer(static_cast<int>(call.version));
  reply.bulk("modules");
  reply.array(0);
}

struct Command {
  std::string_view name;
  int words_min;  // with the name
  int words_max;
  void (*run)(const RespCall&);
};

constexpr int any = 1 << 30;

constexpr Command commands[] = {
    {"get", 2, 2, get},          {"set", 3, any, set},       {"ping", 1, 2, ping},
    {"incr", 2, 2, increment},   {"mset", 3, any, set_many}, {"mget", 2, any, get_many},
    {"del", 2, any, erase},      {"exists", 2, any, exists}, {"decr", 2, 2, decrement},
    {"incrby", 3, 3, increment}, {"append", 3, 3, append},   {"strlen", 2, 2, string_length},
    {"getset", 3, 3, exchange},  {"expire", 3, 3, expire},   {"ttl", 2, 2, time_to_live},
    {"echo", 2, 2, echo},        {"select", 2, 2, select},   {"flushall", 1, 2, flush_all},
    {"dbsize", 1, 1, db_size},   {"info", 1, any, info},     {"command", 1, any, command},
    {"config", 2, any, config},  {"client", 2, any, client}, {"hello", 1, any, hello},
};

}  // namespace

AfterCommand run_command(const RespCall& call) {
  const std::string_view name = call.words[0];
  if (is_word(name, "quit")) {
    reply_of(call).ok();
    return AfterCommand::quit;
  }
  const auto* const found =
      std::ranges::find_if(commands, [&](const Command& row) { return is_word(name, row.name); });
  if (found == std::end(commands)) {
    reply_of(call).error(unknown(call.words));
    return AfterCommand::go_on;
  }
  const auto words = static_cast<int>(std::min<std::size_t>(call.words.size(), any));
  if (words < found->words_min || words > found->words_max) {
    reply_of(call).error(
        fmt::format("ERR wrong number of arguments for '{}' command", found->name));
  } else {
    found->run(call);
  }
  return AfterCommand::go_on;
}

}  // namespace serverlab::kv
