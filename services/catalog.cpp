#include "services/catalog.h"

#include "base/clock.h"
#include "services/bucket/bucket.h"
#include "services/echo/echo.h"
#include "services/forum/forum.h"
#include "services/http/http.h"
#include "services/kv/kv.h"

#include <algorithm>

namespace serverlab {

std::span<const ServiceRow> services() {
  static const ServiceRow rows[] = {
      {.name = "echo",
       .summary = "what arrives goes back, byte for byte (RFC 862)",
       .service_settings = echo::service_settings(),
       .workload_settings = echo::workload_settings(),
       .shares_state = false,
       .service = echo::service,
       .workload = echo::workload},
      {.name = "bucket",
       .summary = "takes a delay, adds it to a bucket, replies with the total (Duke ECE 568)",
       .service_settings = bucket::service_settings(),
       .workload_settings = bucket::workload_settings(),
       .shares_state = true,
       .service = bucket::service,
       .workload = bucket::workload},
      {.name = "forum",
       .summary = "topics and their messages, a line for a line (a course of Sheffield Hallam)",
       .service_settings = forum::service_settings(),
       .workload_settings = forum::workload_settings(),
       .shares_state = true,
       .service = forum::service,
       .workload = forum::workload},
      {.name = "http",
       .summary = "HTTP/1.1: a plaintext, bytes by the number, an echo (RFC 9110, 9112)",
       .service_settings = http::service_settings(),
       .workload_settings = http::workload_settings(),
       .shares_state = false,
       .service = http::service,
       .workload = http::workload},
      {.name = "kv-json",
       .summary = "a key-value store behind JSON objects, GET and POST",
       .service_settings = kv::service_settings(),
       .workload_settings = kv::workload_settings(),
       .shares_state = true,
       .service = [](const Settings& settings) { return kv::json_service(settings, now); },
       .workload = kv::json_workload},
      {.name = "kv-resp",
       .summary = "the same store behind the Redis protocol (RESP2 and RESP3)",
       .service_settings = kv::service_settings(),
       .workload_settings = kv::workload_settings(),
       .shares_state = true,
       .service = [](const Settings& settings) { return kv::resp_service(settings, now); },
       .workload = kv::resp_workload},
  };
  return rows;
}

namespace {

std::vector<Setting> united(std::span<const Setting> ServiceRow::* table) {
  std::vector<Setting> all;
  for (const ServiceRow& row : services()) {
    for (const Setting& setting : row.*table) {
      if (!has_setting(all, setting.name)) all.push_back(setting);
    }
  }
  return all;
}

}  // namespace

std::vector<Setting> service_settings() { return united(&ServiceRow::service_settings); }

std::vector<Setting> workload_settings() { return united(&ServiceRow::workload_settings); }

bool has_setting(std::span<const Setting> table, std::string_view name) {
  return std::ranges::find(table, name, &Setting::name) != table.end();
}

const ServiceRow* find_service(std::string_view name) {
  const auto found = std::ranges::find(services(), name, &ServiceRow::name);
  return found == services().end() ? nullptr : &*found;
}

}  // namespace serverlab
