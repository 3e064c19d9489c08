#pragma once

// The client half of kv-resp: GET and SET as a script has them.

#include "services/kv/script.h"
#include "services/workload.h"

namespace serverlab::kv {

class RespClient {
 public:
  explicit RespClient(Script script) : script_(std::move(script)) {}

  std::uint8_t request(Bytes& output);
  Checked check(ByteView input);
  ExpectedReply expected() const;

 private:
  Script script_;
};
static_assert(Client<RespClient>);

}  // namespace serverlab::kv
