// serverlab-load: loads a server with one service's workload, checks every reply, and says what
// it saw.
//
// On stdout one JSON object a line: `start`, `connected`, `window`, an `interval` every second,
// `end` with the result (docs/results-schema.md). On a terminal: what a person wants to see of it.

#include "load/bounds.h"
#include "load/generator.h"
#include "load/load_settings.h"
#include "load/models/catalog.h"
#include "load/result_json.h"
#include "load/verdict.h"
#include "net/ring.h"
#include "programs/check.h"
#include "programs/command_line.h"
#include "programs/load_display.h"
#include "programs/load_outputs.h"
#include "programs/process.h"
#include "programs/server_list.h"
#include "programs/standard_streams.h"
#include "programs/terminal.h"
#include "programs/version.h"
#include "services/catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace serverlab {
namespace {

constexpr auto examples = R"(Examples:
  serverlab-load --target=127.0.0.1:7000 --connections=64
      peak throughput: each connection asks again as soon as it is answered
  serverlab-load --target=127.0.0.1:7000 --model=open --rate=20000 --connections=256 --cpus=1
      latency at 20 000 requests a second, whatever the server does)";

constexpr Setting what[] = {
    {"service", "NAME", "echo", "what the server serves: a name from serverlab-server --list",
     "What is asked"},
};

const ServiceRow& chosen_service(const Settings& settings) {
  const std::string& name = settings.text("service");
  const ServiceRow* service = find_service(name);
  if (service == nullptr) {
    std::vector<std::string> names;
    for (const ServiceRow& row : services()) names.emplace_back(row.name);
    throw UsageError(fmt::format("--service: there is no service '{}'; {}", name,
                                 did_you_mean(name, names, "serverlab-server --list names them")));
  }
  return *service;
}

// A setting that would do nothing is refused: the user would believe that it did something.
void refuse_meaningless(const Settings& settings, const ServiceRow& service) {
  for (const Setting& setting : workload_settings()) {
    if (settings.is_set(setting.name) && !has_setting(service.workload_settings, setting.name)) {
      throw UsageError(
          fmt::format("--{}: the service '{}' does not support it", setting.name, service.name));
    }
  }
}

// What settings ask for, all of it checked.
struct Asked {
  const ServiceRow& service;
  Workload workload;
  LoadOptions options;
};

Asked asked_by(const Settings& settings) {
  const ServiceRow& service = chosen_service(settings);
  refuse_meaningless(settings, service);
  Asked asked = {.service = service,
                 .workload = service.workload(settings),
                 .options = load_options(settings, 1)};
  refuse_outputs(settings, asked.options);
  // A setting that is wrong is said before what this machine lacks.
  if (const std::string lack = lacking_ring();
      asked.options.transport == TransportName::uring && !lack.empty()) {
    throw Unsupported(fmt::format("--transport=uring cannot be used here: {}", lack));
  }
  asked.options = load_options(settings, pin_to(settings.cpus("cpus")));
  return asked;
}

// What --help says below the settings.
std::string help_text() {
  std::string text = "Models, and the settings that not every one of them uses:\n";
  for (const LoadModel& model : load_models()) {
    text += fmt::format("  {:<14}{}\n  {:<14}--{}\n", model.name, model.summary, "",
                        fmt::join(model.settings, " --"));
  }
  text += "\nExit status, by the verdict; the first of these that applies is given:\n";
  for (const LoadVerdictRow& row : load_verdicts()) {
    text += fmt::format("  {:>3}  {:<16}{}\n", row.exit_status, row.name, row.meaning);
  }
  text += fmt::format(
      "  {:>3}  the load could not be run\n  {:>3}  a setting is wrong\n"
      "  {:>3}  this machine cannot do what the settings ask\n",
      1, 2, 69);
  return text + "\n" + examples;
}

Json models_json() {
  Json rows = Json::array();
  for (const LoadModel& model : load_models()) {
    rows.push_back({{"name", model.name},
                    {"has_rate", model.has_rate},
                    {"summary", model.summary},
                    {"settings", model.settings}});
  }
  return rows;
}

Json verdicts_json() {
  Json rows = Json::array();
  for (const LoadVerdictRow& row : load_verdicts()) {
    rows.push_back({{"name", row.name},
                    {"exit_status", row.exit_status},
                    {"severity", name_of(row.severity)},
                    {"meaning", row.meaning}});
  }
  return rows;
}

Json errors_json() {
  Json rows = Json::array();
  for (std::size_t i = 0; i < error_classes; ++i) {
    rows.push_back({{"name", error_names[i]},
                    {"is_of_a_request", is_of_a_request(static_cast<ErrorClass>(i))}});
  }
  return rows;
}

Json bounds_json() {
  Json rows = Json::array();
  for (const bounds::Row& row : bounds::list) {
    rows.push_back({{"name", row.name}, {"value", row.value}, {"meaning", row.meaning}});
  }
  return rows;
}

int exit_status_of(const LoadOptions& options, const LoadResult& result) {
  std::vector<std::string_view> names;
  for (const auto& target : result.targets) {
    names.push_back(verdict(options, *target, result.interrupted).name);
  }
  return exit_status(names);
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
  const std::pair<std::string, std::string> flags[] = {
      {"list-json", "print settings, load models, verdicts, errors and bounds as JSON"},
      check_flags()[0],
      check_flags()[1],
  };
  const auto flag = parse({"serverlab-load", "Loads a server and checks every reply.", help_text()},
                          argc, argv, tables, flags, settings);
  if (flag == "list-json") {
    print_event({{"schema", 1},
                 {"version", version_json()},
                 {"settings", settings_json(tables)},
                 {"models", models_json()},
                 {"verdicts", verdicts_json()},
                 {"errors", errors_json()},
                 {"bounds", bounds_json()}});
  }
  if (flag && flag->starts_with("check")) run_check(*flag, settings, asked_by);
  if (flag) return 0;

  auto [service, workload, options] = asked_by(settings);
  ignore_write_signals();
  LoadOutputs outputs(settings, options, std::string(service.name));
  options.connection_log = outputs.connection_log();
  raise_descriptor_limit();
  StopSignal stop;
  stop.raise_on_termination();

  const LoadDisplay display(is_terminal(), options);
  display.started({{"event", "start"},
                   {"pid", ::getpid()},
                   {"version", version_json()},
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
  return exit_status_of(options, result);
}

}  // namespace
}  // namespace serverlab

int main(int argc, char** argv) {
  return serverlab::run_program("serverlab-load", serverlab::load, argc, argv);
}
