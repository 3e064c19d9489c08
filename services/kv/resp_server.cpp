#include "services/kv/resp_server.h"

#include "services/kv/resp_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace serverlab::kv {
namespace {

constexpr std::string_view redis_version = "7.0.0";  // the one whose answers these are

// @return whether the name may be one
bool take_name(const RespCall& call, std::string_view name) {
  constexpr std::size_t name_bytes_max = 128;
  if (name.size() > name_bytes_max) {
    call.reply().error("ERR Client names cannot be longer than 128 bytes");
    return false;
  }
  const bool is_printable =
      std::ranges::all_of(name, [](unsigned char c) { return c > ' ' && c <= '~'; });
  if (is_printable) {
    call.peer.name = name;
  } else {
    call.reply().error("ERR Client names cannot contain spaces, newlines or special characters.");
  }
  return is_printable;
}

void client_name(const RespCall& call) {
  call.peer.name.empty() ? call.reply().null() : call.reply().bulk(call.peer.name);
}

void set_client_name(const RespCall& call) {
  if (take_name(call, call.words[2])) call.reply().ok();
}

// What redis-benchmark asks for, to print what it measures; null if it is anything else.
const char* configured(std::string_view name) {
  if (is_word(name, "save")) return "";
  return is_word(name, "appendonly") ? "no" : nullptr;
}

void config_get(const RespCall& call) {
  const auto names = call.words.subspan(2);
  call.reply().map(static_cast<std::size_t>(std::ranges::count_if(names, configured)));
  for (const std::string_view name : names) {
    if (const char* const value = configured(name)) {
      call.reply().bulk(name);
      call.reply().bulk(value);
    }
  }
}

}  // namespace

void ping(const RespCall& call) {
  call.words.size() > 1 ? call.reply().bulk(call.words[1]) : call.reply().simple("PONG");
}

void echo(const RespCall& call) { call.reply().bulk(call.words[1]); }

void select(const RespCall& call) {
  const auto number = integer_of(call.words[1]);
  if (!number) return call.reply().error(not_an_integer);
  *number == 0 ? call.reply().ok() : call.reply().error("ERR DB index is out of range");
}

void flush_all(const RespCall& call) {
  const auto options = call.words.subspan(1);
  const bool is_known =
      options.empty() ||
      (options.size() == 1 && (is_word(options[0], "async") || is_word(options[0], "sync")));
  if (!is_known) return call.reply().error("ERR syntax error");
  call.store.clear();
  call.reply().ok();
}

void db_size(const RespCall& call) {
  call.reply().integer(static_cast<std::int64_t>(call.store.size()));
}

void info(const RespCall& call) {
  call.reply().bulk(
      fmt::format("# Server\r\nredis_version:{}\r\nredis_mode:standalone\r\n\r\n"
                  "# Keyspace\r\ndb0:keys={}\r\n",
                  redis_version, call.store.size()));
}

void config(const RespCall& call) {
  constexpr RespCommand rows[] = {{"config|get", 3, any_words, config_get}};
  run_subcommand(call, "CONFIG", rows);
}

void client(const RespCall& call) {
  constexpr RespCommand rows[] = {
      {"client|getname", 2, 2, client_name},
      {"client|setname", 3, 3, set_client_name},
  };
  run_subcommand(call, "CLIENT", rows);
}

void hello(const RespCall& call) {
  const auto words = call.words.subspan(1);
  const auto version = words.empty() ? static_cast<int>(call.peer.version) : integer_of(words[0]);
  if (!version) {
    return call.reply().error("ERR Protocol version is not an integer or out of range");
  }
  if (*version != 2 && *version != 3) {
    return call.reply().error("NOPROTO unsupported protocol version");
  }
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (!is_word(words[i], "setname") || i + 1 == words.size()) {
      return call.reply().error(fmt::format("ERR Syntax error in HELLO option '{}'", words[i]));
    }
    if (!take_name(call, words[i + 1])) return;
  }
  call.peer.version = *version == 3 ? RespVersion::resp3 : RespVersion::resp2;
  constexpr std::pair<std::string_view, std::string_view> about[] = {{"server", "serverlab"},
                                                                     {"version", redis_version},
                                                                     {"mode", "standalone"},
                                                                     {"role", "master"}};
  RespReply reply = call.reply();
  reply.map(std::size(about) + 2);
  for (const auto& [name, value] : about) {
    reply.bulk(name);
    reply.bulk(value);
  }
  reply.bulk("proto");
  reply.integer(*version);
  reply.bulk("modules");
  reply.array(0);
}

}  // namespace serverlab::kv
