#include "services/kv/resp_session.h"

#include <fmt/format.h>

namespace serverlab::kv {

Progress RespSession::advance(ByteView input, Bytes& output) {
  constexpr std::size_t replies_bytes_max = 64 << 10;  // then they have to go out first
  thread_local RespArguments arguments;  // of the request that is being run; nothing stays in it
  Progress progress;
  const std::size_t output_bytes_max = output.size() + replies_bytes_max;
  const auto call = [&](std::span<const std::string_view> words) -> RespCall {
    return {*store_, peer_, turns_, words, output, output_bytes_max};
  };
  if (turns_.are_left()) turns_.go_on(call({}));
  for (std::string_view rest = text_of(input); !rest.empty() || turns_.are_left();) {
    if (output.size() > output_bytes_max || turns_.are_left()) {
      progress.next = Next::flush;
      break;
    }
    const RespRequest request = read_request(rest, unfinished_, arguments);
    if (request.status == RespRequest::Status::need_more) break;
    if (request.status == RespRequest::Status::error) {
      RespReply(output, peer_.version).error(fmt::format("ERR Protocol error: {}", request.error));
      progress.consumed = input.size();
      progress.next = Next::close;
      break;
    }
    unfinished_ = {};
    rest.remove_prefix(request.bytes);
    progress.consumed += request.bytes;
    if (arguments.words.empty()) continue;
    ++progress.requests;
    if (run_command(call(arguments.words)) == AfterCommand::quit) {
      progress.next = Next::close;
      break;
    }
  }
  return progress;
}

}  // namespace serverlab::kv
