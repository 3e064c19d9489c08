#pragma once

// The Redis protocol on a store.

#include "services/kv/resp_commands.h"
#include "services/kv/resp_request.h"
#include "services/kv/resp_turns.h"
#include "services/kv/store.h"
#include "services/service.h"

#include <memory>

namespace serverlab::kv {

class RespSession {
 public:
  explicit RespSession(std::shared_ptr<Store> store) : store_(std::move(store)) {}

  Progress advance(ByteView input, Bytes& output);

 private:
  std::shared_ptr<Store> store_;
  RespPeer peer_;
  RespTurns turns_;
  RespProgress unfinished_;  // of the request that the input begins with
};
static_assert(Session<RespSession>);

}  // namespace serverlab::kv
