#pragma once

// The Redis protocol on a store.

#include "services/kv/resp_reply.h"
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
  RespVersion version_ = RespVersion::resp2;
};
static_assert(Session<RespSession>);

}  // namespace serverlab::kv
