#include "programs/server_summary.h"

#include "programs/process.h"
#include "programs/standard_streams.h"

#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace serverlab {
namespace {

// On the stack, as long as a line needs no more.
using Line = fmt::basic_memory_buffer<char, 2048>;

template <class... Args>
void add(Line& line, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(line), format, std::forward<Args>(args)...);
}

void add_field(Line& line, std::string_view name, std::uint64_t value) {
  add(line, R"(,"{}":{})", name, value);
}

void add_calls(Line& line, const Counters& total) {
  add(line, R"(,"syscalls":{{"receive":{},"send":{},"wait":{},"change":{},"wake":{}}})",
      std::uint64_t{total.receives}, std::uint64_t{total.sends}, std::uint64_t{total.waits},
      std::uint64_t{total.changes}, std::uint64_t{total.wakes});
  add_field(line, "events", total.events);
  add_field(line, "would_block", total.would_block);
}

void print(Line& line) {
  line.push_back('\n');
  print_out({line.data(), line.size()});
}

void notice_unanswered(std::uint64_t unanswered, Duration drain_limit) {
  if (unanswered == 0) return;
  Line text;
  add(text, "the drain limit, {:g} s, passed: {} connections ended unanswered",
      seconds(drain_limit), unanswered);
  print_notice({text.data(), text.size()});
}

}  // namespace

void print_notice(std::string_view text) {
  Line line;
  add(line, R"({{"event":"notice","text":")");
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') line.push_back('\\');
    if (static_cast<unsigned char>(letter) < ' ') {
      add(line, "\\u{:04x}", letter);
    } else {
      line.push_back(letter);
    }
  }
  add(line, R"("}})");
  print(line);
}

std::string figures_json(const Service& service) {
  Json json = Json::object();
  if (!service.figures) return json.dump();
  for (const auto& [name, value] : service.figures()) json[std::string(name)] = value;
  return json.dump();
}

void print_summary(const Engine& engine, const Counters& total, std::string_view figures,
                   Duration drain_limit, std::string_view stamps) {
  notice_unanswered(total.unanswered, drain_limit);
  Line line;
  add(line, R"({{"event":"summary")");
  add_field(line, "requests", total.requests);
  add_field(line, "accepts", total.accepts);
  add_field(line, "unanswered", total.unanswered);
  add_field(line, "bytes_in", total.bytes_in);
  add_field(line, "bytes_out", total.bytes_out);
  add_field(line, "timed_out", total.timed_out);
  add_field(line, "failed_connections", total.failed_connections);
  if (engine.counts_syscalls) {
    add_calls(line, total);
  } else {
    add(line, R"(,"syscalls":null,"events":null,"would_block":null)");
  }
  add(line, R"(,"service":{})", figures);
  if (!stamps.empty()) add(line, R"(,"stamps":{})", stamps);
  line.push_back('}');
  print(line);
}

}  // namespace serverlab
