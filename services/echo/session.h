#pragma once

// RFC 862: what arrives goes back, byte for byte.

#include "services/service.h"

namespace serverlab {

struct EchoSession {
  // There are no messages: what has arrived at once counts as one.
  Progress advance(ByteView input, Bytes& output) const {
    output.append(input);
    return {.consumed = input.size(), .requests = input.empty() ? 0U : 1U};
  }
};
static_assert(Session<EchoSession>);

}  // namespace serverlab
