#include "services/kv/resp_session.h"

#include <fmt/format.h>

namespace serverlab::kv {

Progress RespSession::advance(ByteView input, Bytes& output) {
  constexpr std::size_t replies_bytes_max = 64 << 10;  // then they have to go out first
  thread_local RespArguments arguments;  // of the request that is being run; nothing stays in it
  Progress progress;
  const std::size_t before = output.size();
  for (std::string_view rest = text_of(input); !rest.empty();) {
    if (output.size() - before > replies_bytes_max) {
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
    if (run_command({*store_, peer_, arguments.words, output}) == AfterCommand::quit) {
      progress.next = Next::close;
      break;
    }
  }
  return progress;
}

}  // namespace serverlab::kv
