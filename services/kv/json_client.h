#pragma once

// The client half of kv-json: GET and POST as a script has them.

#include "services/kv/script.h"
#include "services/workload.h"

namespace serverlab::kv {

class JsonClient {
 public:
  explicit JsonClient(Script script) : script_(std::move(script)) {}

  std::uint8_t request(Bytes& output);
  Checked check(ByteView input);
  ExpectedReply expected() const;

 private:
  Script script_;
};
static_assert(Client<JsonClient>);

}  // namespace serverlab::kv
