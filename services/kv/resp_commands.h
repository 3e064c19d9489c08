#pragma once

// The commands, with Redis's meanings, arities and error texts.

#include "services/kv/resp_reply.h"
#include "services/kv/store.h"

namespace serverlab::kv {

struct RespCall {
  Store& store;
  RespVersion& version;  // HELLO changes it
  std::span<const std::string_view> words;
  Bytes& output;
};

enum class AfterCommand { go_on, quit };

/// Runs one command and appends its reply.
/// @param call its first word is the command
AfterCommand run_command(const RespCall& call);

}  // namespace serverlab::kv
