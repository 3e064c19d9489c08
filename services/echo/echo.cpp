#include "services/echo/echo.h"

#include "services/echo/client.h"
#include "services/echo/session.h"

#include <algorithm>

namespace serverlab::echo {

namespace {

constexpr std::uint64_t bytes_max = 1ULL << 40;

}  // namespace

std::span<const Setting> service_settings() {
  static constexpr Setting rows[] = {
      {"close-after", "SIZE", "0",
       "bytes echoed on a connection before it is closed, such as one --payload; 0: any number",
       "The echo server"},
  };
  return rows;
}

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

Service service(const Settings& settings) {
  const std::uint64_t close_after = settings.size("close-after", 0, bytes_max);
  const std::uint64_t each = close_after == 0 ? EchoSession::any_number : close_after;
  return {.open = [each](const Service::Peer&) { return EchoSession(each); }};
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
