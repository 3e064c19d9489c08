#include "services/catalog.h"

#include "services/echo/echo.h"

#include <algorithm>

namespace serverlab {

std::span<const ServiceRow> services() {
  static const ServiceRow rows[] = {
      {.name = "echo",
       .summary = "what arrives goes back, byte for byte (RFC 862)",
       .service_settings = {},
       .workload_settings = echo::workload_settings(),
       .service = echo::service,
       .workload = echo::workload},
  };
  return rows;
}

const ServiceRow* find_service(std::string_view name) {
  const auto found = std::ranges::find(services(), name, &ServiceRow::name);
  return found == services().end() ? nullptr : &*found;
}

}  // namespace serverlab
