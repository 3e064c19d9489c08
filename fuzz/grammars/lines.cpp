// Protocols of lines: the forum, the buckets, and settings, `name=value` a line.

#include "fuzz/grammar.h"
#include "services/catalog.h"

#include <algorithm>
#include <fmt/format.h>

namespace serverlab::fuzz {
namespace {

constexpr std::string_view ends_of_lines("\n\0", 2);

std::vector<std::string> lines_of(std::string_view stream) {
  std::vector<std::string> lines;
  while (!stream.empty()) {
    const std::size_t size = std::min(stream.find_first_of(ends_of_lines), stream.size() - 1) + 1;
    lines.emplace_back(stream.substr(0, size));
    stream.remove_prefix(size);
  }
  return lines;
}

std::string make_forum_line(Random& random) {
  static constexpr std::string_view verbs[] = {"POST", "POST", "READ",        "READ", "COUNT",
                                               "LIST", "EXIT", "TERMINATING", "",     "post"};
  static constexpr std::string_view topics[] = {"@a", "@b", "@", "", "@a@b", "@a b", "#", "@\r"};
  static constexpr std::string_view messages[] = {"",   "#",   "#hello", "#0",
                                                  "#1", "##@", "#\r",    "# "};
  static constexpr std::string_view endings[] = {"\n", "\r\n", "\r\r\n", "\r"};
  const std::string line = fmt::format("{}{}{}", random.pick(verbs), random.pick(topics),
                                       random.once_in(4) ? fmt::format("#{}", some_number(random))
                                                         : std::string(random.pick(messages)));
  return line + (random.once_in(3) ? std::string(1, '\0') : std::string(random.pick(endings)));
}

std::string make_bucket_line(Random& random) {
  static constexpr std::string_view endings[] = {"\n", "\n", "\n", "\r\n", "", " \n", ",0\n"};
  if (random.once_in(2)) return fmt::format("{},{}\n", random.below(9), random.below(32));
  return fmt::format("{},{}{}", some_number(random), some_number(random), random.pick(endings));
}

std::string make_setting(Random& random) {
  static const std::vector<Setting> rows = [] {
    std::vector<Setting> all = service_settings();
    for (const Setting& row : workload_settings()) all.push_back(row);
    return all;
  }();
  static constexpr std::string_view units[] = {"", "s", "ms", "us", "KiB", "B", "%", "min", " B"};
  const Setting& row = rows[random.below(rows.size())];
  const bool is_choice = row.values.contains('|') && !random.once_in(4);
  const std::size_t from = is_choice ? random.below(row.values.size()) : 0;
  const std::string_view choice = row.values.substr(from, row.values.find('|', from) - from);
  return fmt::format(
      "{}={}\n", row.name,
      is_choice ? std::string(choice) : some_number(random) + std::string(random.pick(units)));
}

template <auto make>
std::string change_line(const std::string& line, Random& random) {
  return random.once_in(3) ? make(random) : mutated_bytes(line);
}

}  // namespace

constinit const Grammar forum_grammar = {lines_of, make_forum_line, change_line<make_forum_line>};
constinit const Grammar bucket_grammar = {lines_of, make_bucket_line,
                                          change_line<make_bucket_line>};
constinit const Grammar settings_grammar = {lines_of, make_setting, change_line<make_setting>};

}  // namespace serverlab::fuzz
