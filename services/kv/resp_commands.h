#pragma once

// The commands, with Redis's meanings, arities and error texts.

#include "services/kv/resp_call.h"

namespace serverlab::kv {

enum class AfterCommand { go_on, quit };

/// Runs one command and appends its reply.
AfterCommand run_command(const RespCall& call);

}  // namespace serverlab::kv
