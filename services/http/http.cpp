#include "services/http/http.h"

#include "services/http/client.h"
#include "services/http/session.h"

#include <fmt/format.h>

namespace serverlab::http {

std::span<const Setting> service_settings() {
  static constexpr Setting rows[] = {
      {"http-body-max", "SIZE", "1 MiB", "longest body of a request; longer ones get a 413",
       "The http server"},
  };
  return rows;
}

std::span<const Setting> workload_settings() {
  static constexpr Setting rows[] = {
      {"http-path", "PATH", "/", "get / (13 bytes) or /bytes/N", "What is asked"},
  };
  return rows;
}

Service service(const Settings& settings) {
  constexpr std::uint64_t body_bytes_max = 1ULL << 30;
  const HttpOptions options = {.body_bytes_max = settings.size("http-body-max", 0, body_bytes_max)};
  return {.open = [options](const Service::Peer&) { return open_http_session(options); }};
}

Workload workload(const Settings& settings) {
  const std::string& path = settings.text("http-path");
  const HttpResource resource = http_resource(path);
  const bool is_path = path.find_first_of(" \r\n") == path.npos && path.starts_with('/');
  if (!is_path ||
      (resource.kind != HttpResource::Kind::hello && resource.kind != HttpResource::Kind::bytes)) {
    throw BadSetting(fmt::format("--http-path: '{}' is neither / nor /bytes/N, N up to {}", path,
                                 http_bytes_max));
  }
  const auto load = std::make_shared<const HttpLoad>(
      HttpLoad{.request = fmt::format("GET {} HTTP/1.1\r\nHost: serverlab\r\n\r\n", path),
               .resource = resource});
  return {.open = [load](std::uint32_t) { return HttpClient(load); }};
}

}  // namespace serverlab::http
