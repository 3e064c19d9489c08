#pragma once

// A service whose sessions are stamped by the server's clock (--stamps). Every engine runs them as
// any others, so that one place measures for all.

#include "base/shared.h"
#include "base/stamps.h"
#include "services/service.h"

#include <memory>
#include <string>

namespace serverlab {

/// Shared with the processes that an engine forks.
using SharedStamps = std::shared_ptr<Shared<Stamps>>;

/// The same service. The work on a message is from the offer of the chunk that completes it until
/// the session has appended its reply; if a chunk completes several, each has an equal part. A
/// reply that is appended in pieces is stamped after the last one; the time between them is not
/// counted.
Service stamped(Service service, SharedStamps stamps);

/// The times as JSON, by name: docs/results-schema.md.
std::string stamps_json(const Stamps& stamps);

}  // namespace serverlab
