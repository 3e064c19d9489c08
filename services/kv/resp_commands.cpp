#include "services/kv/resp_commands.h"

#include "services/kv/resp_lifetimes.h"
#include "services/kv/resp_server.h"
#include "services/kv/resp_values.h"
#include "services/kv/resp_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace serverlab::kv {
namespace {

AfterCommand quit(const RespCall& call) {
  call.reply().ok();
  return AfterCommand::quit;
}

void count_commands(const RespCall& call);

// What the commands are, Redis's own lists say: clients take an empty one.
void describe_none(const RespCall& call) { call.reply().map(0); }

void know_none(const RespCall& call) {
  const std::size_t asked = call.words.size() - 2;
  call.reply().array(asked);
  for (std::size_t i = 0; i < asked; ++i) call.reply().null();
}

void command(const RespCall& call) {
  constexpr RespCommand rows[] = {
      {"command|count", 2, 2, count_commands},
      {"command|docs", 2, any_words, describe_none},
      {"command|info", 2, any_words, know_none},
  };
  call.words.size() == 1 ? call.reply().array(0) : run_subcommand(call, "COMMAND", rows);
}

// The ones that are asked for most come first: they are searched in this order.
constexpr RespCommand commands[] = {
    {"get", 2, 2, get},
    {"set", 3, any_words, set},
    {"ping", 1, 2, ping},
    {"incr", 2, 2, increment},
    {"mset", 3, any_words, set_many},
    {"mget", 2, any_words, get_many},
    {"del", 2, any_words, erase},
    {"exists", 2, any_words, exists},
    {"decr", 2, 2, decrement},
    {"incrby", 3, 3, increment},
    {"decrby", 3, 3, decrement},
    {"append", 3, 3, append},
    {"strlen", 2, 2, string_length},
    {"getset", 3, 3, exchange},
    {"expire", 3, any_words, expire},
    {"ttl", 2, 2, time_to_live},
    {"echo", 2, 2, echo},
    {"select", 2, 2, select},
    {"flushall", 1, any_words, flush_all},
    {"dbsize", 1, 1, db_size},
    {"info", 1, any_words, info},
    {"command", 1, any_words, command},
    {"config", 2, any_words, config},
    {"client", 2, any_words, client},
    {"hello", 1, any_words, hello},
};

void count_commands(const RespCall& call) {
  call.reply().integer(static_cast<std::int64_t>(std::size(commands)) + 1);  // and QUIT
}

std::string_view up_to_nul(std::string_view word) { return word.substr(0, word.find('\0')); }

// As Redis says it: at most so much of the name, and of the words that follow.
std::string unknown(std::span<const std::string_view> words) {
  constexpr std::size_t shown_max = 128;
  std::string arguments;
  for (const std::string_view word : words.subspan(1)) {
    if (arguments.size() >= shown_max) break;
    const std::size_t room = shown_max - arguments.size();
    arguments += fmt::format("'{}' ", up_to_nul(word).substr(0, room));
  }
  return fmt::format("ERR unknown command '{}', with args beginning with: {}",
                     up_to_nul(words[0]).substr(0, shown_max), arguments);
}

}  // namespace

AfterCommand run_command(const RespCall& call) {
  const std::string_view name = call.words[0];
  const auto* const found = std::ranges::find_if(
      commands, [&](const RespCommand& row) { return is_word(name, row.name); });
  if (found != std::end(commands)) {
    run_checked(*found, call);
  } else if (is_word(name, "quit")) {
    return quit(call);
  } else {
    call.reply().error(unknown(call.words));
  }
  return AfterCommand::go_on;
}

}  // namespace serverlab::kv
