#include "programs/server_list.h"

#include "engines/catalog.h"
#include "programs/engine_lines.h"
#include "services/catalog.h"

#include <fmt/format.h>

namespace serverlab {
void print_list() {
  fmt::print("Engines: who waits, who runs the session\n");
  for (const Engine& engine : engines()) {
    fmt::print("  {:<18}{} ({} lines)\n", engine.name, engine.model, lines_of(engine.name));
    if (!engine.neighbour.empty()) {
      fmt::print("  {:<18}beside {}: {}\n", "", engine.neighbour, engine.difference);
    }
    if (!engine.cannot.empty()) fmt::print("  {:<18}cannot: {}\n", "", engine.cannot);
    if (const std::string lack = lacking(engine); !lack.empty())
      fmt::print("  {:<18}not on this machine: {}\n", "", lack);
  }
  fmt::print("\nServices: what is served\n");
  for (const ServiceRow& service : services())
    fmt::print("  {:<18}{}\n", service.name, service.summary);
}

Json settings_json(std::span<const std::span<const Setting>> tables) {
  Json rows = Json::array();
  for (const auto table : tables) {
    for (const Setting& setting : table) {
      rows.push_back({{"name", setting.name},
                      {"values", setting.values},
                      {"fallback", setting.fallback},
                      {"meaning", setting.meaning},
                      {"group", setting.group}});
    }
  }
  return rows;
}

Json list_json(std::span<const std::span<const Setting>> tables) {
  Json list = {{"schema", 1},
               {"engines", Json::array()},
               {"services", Json::array()},
               {"settings", settings_json(tables)}};
  for (const Engine& engine : engines()) {
    list["engines"].push_back({{"name", engine.name},
                               {"model", engine.model},
                               {"neighbour", engine.neighbour},
                               {"difference", engine.difference},
                               {"ignores", engine.ignores},
                               {"knows", engine.knows},
                               {"sessions_stay", engine.sessions_stay},
                               {"cannot", engine.cannot},
                               {"one_process", engine.one_process},
                               {"in_kernel", engine.in_kernel},
                               {"serves", engine.serves},
                               {"lines", lines_of(engine.name)},
                               {"connection_each", engine.connection_each},
                               {"lacking", lacking(engine)}});
  }
  for (const ServiceRow& service : services()) {
    list["services"].push_back(
        {{"name", service.name},
         {"summary", service.summary},
         {"shares_state", service.shares_state},
         {"service_settings", settings_json({&service.service_settings, 1})},
         {"workload_settings", settings_json({&service.workload_settings, 1})}});
  }
  return list;
}

}  // namespace serverlab
