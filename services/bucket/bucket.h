#pragma once

// The service `bucket` and its workload, as the catalogue lists them.

#include "base/settings.h"
#include "services/service.h"
#include "services/workload.h"

namespace serverlab::bucket {

std::span<const Setting> service_settings();
std::span<const Setting> workload_settings();

Service service(const Settings& settings);
Workload workload(const Settings& settings);

}  // namespace serverlab::bucket
