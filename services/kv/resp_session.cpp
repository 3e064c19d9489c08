#include "services/kv/resp_session.h"

#include "services/kv/resp_commands.h"
#include "services/kv/resp_request.h"

#include <fmt/format.h>

namespace serverlab::kv {

Progress RespSession::advance(ByteView input, Bytes& output) {
  constexpr std::size_t output_bytes_max = 256 << 10;  // before it has to go out
  thread_local RespArguments arguments;  // of the request that is being run; nothing stays in it
  Progress progress;
  for (std::string_view rest = text_of(input); !rest.empty();) {
    if (output.size() > output_bytes_max) {
      progress.next = Next::flush;
      break;
    }
    const RespRequest request = read_request(rest, arguments);
    if (request.status == RespRequest::Status::need_more) break;
    if (request.status == RespRequest::Status::error) {
      RespReply(output, version_).error(fmt::format("ERR Protocol error: {}", request.error));
      progress.consumed = input.size();
      progress.next = Next::close;
      break;
    }
    rest.remove_prefix(request.consumed);
    progress.consumed += request.consumed;
    if (arguments.words.empty()) continue;
    ++progress.requests;
    const AfterCommand after = run_command({*store_, version_, arguments.words, output});
    if (after == AfterCommand::quit) {
      progress.next = Next::close;
      break;
    }
  }
  return progress;
}

}  // namespace serverlab::kv
