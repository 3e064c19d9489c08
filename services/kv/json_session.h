#pragma once

// A store behind JSON objects, as a student's key-value server had it (docs/protocols.md).

#include "services/kv/json_objects.h"
#include "services/kv/store.h"
#include "services/service.h"

#include <memory>

namespace serverlab::kv {

/// Of a request; what is longer is answered with 400, and the conversation ends.
constexpr std::size_t json_bytes_max = 512;

class JsonSession {
 public:
  explicit JsonSession(std::shared_ptr<Store> store) : store_(std::move(store)) {}

  Progress advance(ByteView input, Bytes& output);

 private:
  void answer(std::string_view text, Bytes& output);

  std::shared_ptr<Store> store_;
  ObjectScan unfinished_;  // of the request that the input begins with
};
static_assert(Session<JsonSession>);

}  // namespace serverlab::kv
