#pragma once

// The service `http` and its workload, as the catalogue lists them.

#include "base/settings.h"
#include "services/service.h"
#include "services/workload.h"

namespace serverlab::http {

std::span<const Setting> service_settings();
std::span<const Setting> workload_settings();

Service service(const Settings& settings);
Workload workload(const Settings& settings);

}  // namespace serverlab::http
