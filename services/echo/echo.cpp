#include "services/echo/echo.h"

#include "services/echo/client.h"
#include "services/echo/session.h"

namespace serverlab::echo {

std::span<const Setting> workload_settings() {
  static constexpr Setting rows[] = {
      {"payload", "SIZE", "64 B", "bytes of each request, echoed", "What is asked"},
  };
  return rows;
}

Service service(const Settings&) {
  return {.open = [](int) { return EchoSession(); }};
}

Workload workload(const Settings& settings) {
  constexpr std::uint64_t payload_bytes_max = 1ULL << 30;
  const auto payload_bytes =
      static_cast<std::uint32_t>(settings.size("payload", 1, payload_bytes_max));
  return {.open = [payload_bytes](std::uint32_t connection) {
    return EchoClient(connection, payload_bytes);
  }};
}

}  // namespace serverlab::echo
