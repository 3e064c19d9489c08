#pragma once

// HTTP/1.1 (RFC 9110 and 9112) for a plaintext, for as many bytes as are asked for, and for an
// echo. Boost.Beast parses; it is heavy to compile, and so known to session.cpp alone.

#include "services/service.h"

namespace serverlab {

struct HttpOptions {
  std::uint64_t body_bytes_max = 1 << 20;  // of a request; more is refused
};

AnySession open_http_session(const HttpOptions& options);

}  // namespace serverlab
