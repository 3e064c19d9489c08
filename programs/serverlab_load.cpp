// serverlab-load: loads a server with one service's workload, checks every reply, and says what
// it saw.
//
// On stdout one JSON object a line: `start`, `connected`, `window`, an `interval` every second,
// `end` with the result (docs/results-schema.md). On a terminal: what a person wants to see of it.

#include "load/generator.h"
#include "load/result_json.h"
#include "programs/command_line.h"
#include "programs/load_display.h"
#include "programs/load_outputs.h"
#include "programs/process.h"
#include "programs/server_list.h"
#include "programs/terminal.h"
#include "programs/version.h"
#include "services/catalog.h"

#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace serverlab {
namespace {

constexpr auto examples = R"(Examples:
  serverlab-load --target=127.0.0.1:7000 --connections=64 --duration=10s
  serverlab-load --target=127.0.0.1:7000 --connections=1000 --depth=16 --cpus=1 --json=out.json)";

constexpr Setting what[] = {
    {"service", "NAME", "echo", "what the server serves: a name from serverlab-server --list",
     "What is asked"},
};

const ServiceRow& chosen_service(const Settings& settings) {
  const std::string& name = settings.text("service");
  const ServiceRow* service = find_service(name);
  if (service == nullptr) {
    throw UsageError(
        fmt::format("there is no service '{}'; serverlab-server --list names them", name));
  }
  return *service;
}

// A setting that would do nothing is refused: whoever gave it would believe that it did something.
void refuse_meaningless(const Settings& settings, const ServiceRow& service) {
  for (const Setting& setting : workload_settings()) {
    if (settings.is_set(setting.name) && !has_setting(service.workload_settings, setting.name)) {
      throw UsageError(
          fmt::format("--{} means nothing to the service '{}'", setting.name, service.name));
    }
  }
}

Json given(const Settings& settings, std::span<const std::span<const Setting>> tables) {
  Json json = Json::object();
  for (const auto table : tables) {
    for (const Setting& setting : table)
      json[std::string(setting.name)] = settings.text(setting.name);
  }
  return json;
}

int load(int argc, char** argv) {
  const std::vector<Setting> of_workloads = workload_settings();
  const std::vector<std::span<const Setting>> tables = {load_settings(), what, of_workloads,
                                                        socket_settings(), output_settings()};
  Settings settings;
  for (const auto table : tables) settings.add(table);
  const std::pair<std::string, std::string> flags[] = {{"list-json", "print the settings as JSON"}};
  const auto flag = parse({"serverlab-load", "Loads a server and checks every reply.", examples},
                          argc, argv, tables, flags, settings);
  if (flag == "list-json") print_event({{"schema", 1}, {"settings", settings_json(tables)}});
  if (flag) return 0;

  const ServiceRow& service = chosen_service(settings);
  refuse_meaningless(settings, service);
  LoadOptions options = load_options(settings, pin_to(settings.cpus("cpus")));
  const Workload workload = service.workload(settings);
  LoadOutputs outputs(settings, options, std::string(service.name));
  options.connection_log = outputs.connection_log();
  raise_descriptor_limit();
  StopSignal stop;
  stop.raise_on_termination();

  const LoadDisplay display(is_terminal(), options);
  display.started({{"event", "start"},
                   {"pid", ::getpid()},
                   {"version", version_text()},
                   {"settings", given(settings, tables)}});
  LoadEvents events = display.events();
  events.interval = [&outputs, shown = events.interval](const IntervalRow& row,
                                                        const Tally& tally) {
    shown(row, tally);
    outputs.interval(row, tally);
  };
  const LoadResult result = run_load(options, workload, stop, events);
  Json document = result_json(options, result);
  document["service"] = service.name;
  document["settings"] = given(settings, tables);
  display.ended(document);
  outputs.finish(result, document);
  return result.interrupted ? 130 : 0;
}

}  // namespace
}  // namespace serverlab

int main(int argc, char** argv) {
  return serverlab::run_program("serverlab-load", serverlab::load, argc, argv);
}
