#include "programs/server_list.h"

#include "engines/catalog.h"
#include "programs/landlock.h"
#include "programs/standard_streams.h"
#include "programs/version.h"
#include "services/catalog.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace serverlab {

void print_list() {
  std::string text = "Engines: who waits, who runs the session\n";
  const auto add = [&text](std::string_view name, const std::string& what) {
    text += fmt::format("  {:<18}{}\n", name, what);
  };
  for (const Engine& engine : engines()) {
    add(engine.name, std::string(engine.model));
    if (!engine.neighbour.empty())
      add("", fmt::format("beside {}: {}", engine.neighbour, engine.difference));
    if (!engine.limitation.empty()) add("", fmt::format("limitation: {}", engine.limitation));
    if (const std::string missing = missing_requirement(engine); !missing.empty())
      add("", fmt::format("not on this machine: {}", missing));
  }
  text += "\nServices: what is served\n";
  for (const ServiceRow& service : services()) add(service.name, std::string(service.summary));
  print_out(text);
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

Json names_json(const SettingNames& names) {
  Json list = Json::array();
  for (const std::string_view name : names) list.push_back(name);
  return list;
}

Json engine_json(const Engine& engine) {
  return {{"name", engine.name},
          {"model", engine.model},
          {"neighbour", engine.neighbour},
          {"difference", engine.difference},
          {"unsupported_settings", names_json(engine.unsupported_settings)},
          {"extra_settings", names_json(engine.extra_settings)},
          {"sessions_stay", engine.sessions_stay},
          {"limitation", engine.limitation},
          {"descriptor_limit", engine.descriptor_limit ? Json(*engine.descriptor_limit) : Json()},
          {"one_process", engine.one_process},
          {"in_kernel", engine.in_kernel},
          {"serves", engine.serves},
          {"thread_per_connection", engine.thread_per_connection},
          {"missing_requirement", missing_requirement(engine)}};
}

Json list_json(std::span<const std::span<const Setting>> tables) {
  Json list = {{"schema", 1},
               {"version", version_json()},
               {"engines", Json::array()},
               {"services", Json::array()},
               {"settings", settings_json(tables)},
               {"lacking_confinement", lacking_confinement(true)}};
  for (const Engine& engine : engines()) {
    list["engines"].push_back(engine_json(engine));
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
