#pragma once

// A command with its words, on its way to the function that runs it.

#include "services/kv/resp_reply.h"
#include "services/kv/store.h"

#include <string>

namespace serverlab::kv {

/// What a connection has said about itself.
struct RespPeer {
  RespVersion version = RespVersion::resp2;  // HELLO changes it
  std::string name;
};

class RespTurns;  // resp_turns.h

struct RespCall {
  Store& store;
  RespPeer& peer;
  RespTurns& turns;
  std::span<const std::string_view> words;  // the first is the command
  Bytes& output;
  std::size_t output_bytes_max;  // above which it goes out before there is more

  RespReply reply() const { return {output, peer.version}; }
  RespCall with(std::span<const std::string_view> others) const {
    return {store, peer, turns, others, output, output_bytes_max};
  }
};

/// A command, or a subcommand.
struct RespCommand {
  std::string_view name;  // in lower case; of a subcommand with its command: "config|get"
  std::size_t words_min;  // with the name
  std::size_t words_max;
  void (*run)(const RespCall&);
};
constexpr std::size_t any_words = SIZE_MAX;

/// Runs a command if it has as many words as it may.
void run_checked(const RespCommand& command, const RespCall& call);

/// Runs the subcommand that the second word names.
/// @param command in capitals, as its error has it
void run_subcommand(const RespCall& call, std::string_view command,
                    std::span<const RespCommand> rows);

}  // namespace serverlab::kv
