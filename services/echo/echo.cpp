#include "services/echo/echo.h"

#include "services/echo/client.h"
#include "services/echo/session.h"

#include <algorithm>

namespace serverlab::echo {

std::span<const Setting> workload_settings() {
  static constexpr Setting rows[] = {
      {"payload", "SIZE", "64 B", "bytes of each request, echoed; of http, of each reply",
       "What is asked"},
      {"payload-max", "SIZE", "0",
       "requests of different lengths, evenly from --payload to this; 0: all alike",
       "What is asked"},
  };
  return rows;
}

Service service(const Settings&) {
  return {.open = [](const Service::Peer&) { return EchoSession(); }};
}

Workload workload(const Settings& settings) {
  constexpr std::uint64_t payload_bytes_max = 1ULL << 30;
  const auto least = static_cast<std::uint32_t>(settings.size("payload", 1, payload_bytes_max));
  const auto most = static_cast<std::uint32_t>(settings.size("payload-max", 0, payload_bytes_max));
  if (most != 0 && most < least) {
    throw BadSetting("--payload-max: it is below --payload, the shortest length");
  }
  const PayloadSizes sizes = {.least = least, .most = std::max(least, most)};
  return {.open = [sizes](std::uint32_t connection) { return EchoClient(connection, sizes); }};
}

}  // namespace serverlab::echo
