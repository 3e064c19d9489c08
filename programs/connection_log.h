#pragma once

// The server's log of its clients: a row a connection, written as it ends.

#include "services/service.h"

#include <string>

namespace serverlab {

/// The same service, with a row in `path` for each connection (tab-separated, a line of headings):
/// when it was accepted (UTC), by whom, for how long, its requests and its bytes.
/// @throws std::runtime_error if the file cannot be written
Service logged(Service service, const std::string& path);

}  // namespace serverlab
