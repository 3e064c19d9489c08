#pragma once

// A connection of a server of Asio's own parts, as a chain of callbacks:
//
//   read some ─▶ session ─▶ write all ─▶ read some …
//
// It has one operation under way at a time, so its callbacks never run in parallel, even if many
// threads run the io_context. A connection that writes does not read; there is no other
// back-pressure. A callback that throws is the last one, and the connection ends with it.

#include "engines/loops/asio_server.h"
#include "services/service.h"

namespace serverlab {

/// Begins such connections. The arguments must outlive them.
AsioServer::Adopt calling_back(const ServeOptions& options, const Service& service,
                               const StopSignal& stop);

}  // namespace serverlab
