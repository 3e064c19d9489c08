#pragma once

// The one list of services. Other programs read it through `serverlab-server --list-json`.

#include "base/settings.h"
#include "services/service.h"
#include "services/workload.h"

#include <span>
#include <string_view>
#include <vector>

namespace serverlab {

struct ServiceRow {
  std::string_view name;     // "echo": on the command line, in experiments, in charts
  std::string_view summary;  // one line: what it answers, and by which specification
  std::span<const Setting> service_settings;   // what can be set about the server's half
  std::span<const Setting> workload_settings;  // what can be set about the client's half
  bool shares_state;                           // between its connections, in the server's memory
  Service (*service)(const Settings&);
  Workload (*workload)(const Settings&);
};

std::span<const ServiceRow> services();

/// The settings of all services, by half; each setting once, though services may share it.
std::vector<Setting> service_settings();
std::vector<Setting> workload_settings();

/// Whether a setting is in a table.
bool has_setting(std::span<const Setting> table, std::string_view name);

/// @return null if there is no service of that name
const ServiceRow* find_service(std::string_view name);

}  // namespace serverlab
