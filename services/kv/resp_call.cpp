#include "services/kv/resp_call.h"

#include "services/kv/resp_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace serverlab::kv {

void run_checked(const RespCommand& command, const RespCall& call) {
  const std::size_t words = call.words.size();
  if (words < command.words_min || words > command.words_max) {
    call.reply().error(fmt::format("ERR wrong number of arguments for '{}' command", command.name));
  } else {
    command.run(call);
  }
}

void run_subcommand(const RespCall& call, std::string_view command,
                    std::span<const RespCommand> rows) {
  constexpr std::size_t shown_max = 128;
  const std::string_view asked = call.words[1];
  const auto found = std::ranges::find_if(rows, [&](const RespCommand& row) {
    return is_word(asked, row.name.substr(command.size() + 1));
  });
  if (found != rows.end()) return run_checked(*found, call);
  call.reply().error(fmt::format("ERR unknown subcommand '{}'. Try {} HELP.",
                                 asked.substr(0, shown_max), command));
}

}  // namespace serverlab::kv
