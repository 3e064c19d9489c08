#pragma once

// The service `forum` and its workload, as the catalogue lists them.

#include "base/settings.h"
#include "services/service.h"
#include "services/workload.h"

namespace serverlab::forum {

std::span<const Setting> service_settings();
std::span<const Setting> workload_settings();

/// Settings: forum-lock, forum-parser, forum-exit, forum-first, forum-capacity.
Service service(const Settings& settings);

/// Settings: forum-posters, forum-topics, forum-reads, forum-asks, forum-message, forum-framing,
/// forum-validate.
Workload workload(const Settings& settings);

}  // namespace serverlab::forum
