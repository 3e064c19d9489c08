#pragma once

// The services `kv-resp` and `kv-json` and their workloads, as the catalogue lists them: one store,
// two protocols.

#include "base/clock.h"
#include "base/settings.h"
#include "services/service.h"
#include "services/workload.h"

namespace serverlab::kv {

std::span<const Setting> service_settings();
std::span<const Setting> workload_settings();

/// @param time by which keys expire
Service resp_service(const Settings& settings, TimeSource time);
Service json_service(const Settings& settings, TimeSource time);

/// Requests of the classes get and set.
Workload resp_workload(const Settings& settings);
Workload json_workload(const Settings& settings);

}  // namespace serverlab::kv
