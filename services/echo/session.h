#pragma once

// RFC 862: what arrives goes back, byte for byte.

#include "services/service.h"

namespace serverlab {

struct EchoSession {
  Progress advance(ByteView input, Bytes& output) const {
    output.append(input);
    return {.consumed = input.size(), .next = Next::read_more};
  }
};
static_assert(Session<EchoSession>);

}  // namespace serverlab
