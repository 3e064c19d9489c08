#include "services/http/http.h"

#include "services/http/session.h"

namespace serverlab::http {

std::span<const Setting> service_settings() {
  static constexpr Setting rows[] = {
      {"http-body-max", "SIZE", "1 MiB", "longest body of a request; longer ones get a 413",
       "The http server"},
  };
  return rows;
}

Service service(const Settings& settings) {
  constexpr std::uint64_t body_bytes_max = 1ULL << 30;
  const HttpOptions options = {.body_bytes_max = settings.size("http-body-max", 0, body_bytes_max)};
  return {.open = [options](const Service::Peer&) { return open_http_session(options); }};
}

}  // namespace serverlab::http
