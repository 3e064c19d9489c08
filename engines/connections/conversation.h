#pragma once

// A session and the input it has been offered but not consumed. No socket, no waiting: every
// engine drives one of these per connection.

#include "services/service.h"

namespace serverlab {

class Conversation {
 public:
  explicit Conversation(AnySession session) : session_(std::move(session)) {}

  /// Offers the session what has arrived, after what it left over earlier; its replies are
  /// appended to `output`.
  Next advance(ByteView arrived, Bytes& output);

 private:
  AnySession session_;
  Bytes left_over_;  // no memory while every chunk is consumed whole
};

}  // namespace serverlab
