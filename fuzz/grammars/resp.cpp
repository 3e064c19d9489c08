// The Redis protocol: arrays of bulk strings, lines of words, and replies.

#include "fuzz/grammar.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace serverlab::fuzz {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view commands[] = {
    "GET",  "SET",    "PING",   "INCR",   "MSET",   "MGET",    "DEL",    "EXISTS",   "DECR",
    "ECHO", "INCRBY", "DECRBY", "APPEND", "STRLEN", "GETSET",  "EXPIRE", "TTL",      "SELECT",
    "QUIT", "DBSIZE", "INFO",   "CONFIG", "CLIENT", "COMMAND", "HELLO",  "FLUSHALL", "get"};

constexpr std::string_view arguments[] = {
    "k",         "key", "a b",     "",        "EX",    "PX",    "NX",   "XX",
    "KEEPTTL",   "GET", "SETNAME", "GETNAME", "COUNT", "DOCS",  "AUTH", "default",
    "maxmemory", "*",   "\r\n",    "\"",      "'",     "\\x41", "3",    "2"};

std::string some_word(Random& random) {
  if (random.once_in(4)) return some_number(random);
  if (random.once_in(20)) return fmt::format("{:x>{}}", "", random.below(5'000));
  return std::string(random.pick(arguments));
}

std::string as_array(const Words& words) {
  std::string text = fmt::format("*{}\r\n", words.size());
  for (const std::string& word : words) text += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return text;
}

std::string as_line(const Words& words, Random& random) {
  static constexpr std::string_view quotes[] = {"", "", "\"", "'"};
  static constexpr std::string_view endings[] = {"\r\n", "\n", "\r", "\n\n"};
  std::string text;
  for (const std::string& word : words) {
    const std::string_view quote = random.pick(quotes);
    text += fmt::format("{}{}{} ", quote, word, random.once_in(9) ? "" : quote);
  }
  return text + std::string(random.pick(endings));
}

std::string make_request(Random& random) {
  Words words = {std::string(random.pick(commands))};
  for (std::size_t count = random.below(5); count > 0; --count) words.push_back(some_word(random));
  return random.once_in(4) ? as_line(words, random) : as_array(words);
}

/// Takes the number behind a character, and the end of its line, from the front of the text.
std::optional<std::size_t> take_header(std::string_view& text, char type) {
  std::size_t number = 0;
  if (!text.starts_with(type)) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || !text.substr(digits).starts_with("\r\n")) return std::nullopt;
  text.remove_prefix(digits + 2);
  return number;
}

/// The words of an array, if it is one; `text` begins behind it then.
std::optional<Words> take_array(std::string_view& text) {
  std::string_view rest = text;
  const auto count = take_header(rest, '*');
  if (!count || *count > rest.size()) return std::nullopt;
  Words words;
  while (words.size() < *count) {
    const auto size = take_header(rest, '$');
    if (!size || *size > rest.size() || !rest.substr(*size).starts_with("\r\n")) return {};
    words.emplace_back(rest.substr(0, *size));
    rest.remove_prefix(*size + 2);
  }
  text = rest;
  return words;
}

std::vector<std::string> resp_messages(std::string_view stream) {
  std::vector<std::string> found;
  while (!stream.empty()) {
    std::string_view rest = stream;
    if (!take_array(rest)) rest.remove_prefix(std::min(stream.find('\n'), stream.size() - 1) + 1);
    found.emplace_back(stream.substr(0, stream.size() - rest.size()));
    stream = rest;
  }
  return found;
}

std::string change_request(const std::string& message, Random& random) {
  std::string_view rest = message;
  std::optional<Words> words = take_array(rest);
  if (!words || words->empty() || random.once_in(6)) return mutated_bytes(message);
  std::string& word = (*words)[random.below(words->size())];
  switch (random.below(6)) {
    case 0: return as_line(*words, random);
    case 1: word = mutated_bytes(word); break;
    case 2: words->push_back(some_word(random)); break;
    case 3: words->pop_back(); break;
    case 4: word = random.pick(commands); break;
    default: word = some_word(random); break;
  }
  return as_array(*words);
}

std::string make_reply(Random& random) {
  static constexpr std::string_view replies[] = {
      "+OK\r\n", "$-1\r\n", "_\r\n", ":1\r\n", "-ERR no\r\n", "*1\r\n:1\r\n", "%1\r\n+a\r\n+b\r\n"};
  if (!random.once_in(3)) return std::string(random.pick(replies));
  const std::string word = some_word(random);
  const std::string size = random.once_in(4) ? some_number(random) : std::to_string(word.size());
  return fmt::format("${}\r\n{}\r\n", size, word);
}

std::string change_reply(const std::string& message, Random& random) {
  return random.once_in(3) ? make_reply(random) : mutated_bytes(message);
}

}  // namespace

constinit const Grammar resp_grammar = {resp_messages, make_request, change_request};
constinit const Grammar resp_reply_grammar = {resp_messages, make_reply, change_reply};

}  // namespace serverlab::fuzz
