#pragma once

// The service `echo` and its workload, as the catalogue lists them.

#include "base/settings.h"
#include "services/service.h"
#include "services/workload.h"

namespace serverlab::echo {

std::span<const Setting> service_settings();

std::span<const Setting> workload_settings();

/// Settings: after how many bytes a connection is closed.
Service service(const Settings& settings);

/// Settings: the bytes of each request, all alike or evenly between two lengths.
Workload workload(const Settings& settings);

}  // namespace serverlab::echo
