// serverlab-server: serves one service by one engine, until SIGTERM or SIGINT.
//
// On stdout one JSON object a line: `listening` when connections are accepted, `notice` where
// something was asked for and not granted, or went wrong and was made good, `summary` at the end
// (docs/results-schema.md). On failure, one sentence on stderr.

#include "base/counters.h"
#include "engines/catalog.h"
#include "programs/command_line.h"
#include "programs/connection_log.h"
#include "programs/process.h"
#include "programs/server_list.h"
#include "programs/version.h"
#include "services/catalog.h"

#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

namespace serverlab {
namespace {

constexpr auto examples = R"(Examples:
  serverlab-server --engine=epoll-level --listen=127.0.0.1:7000
      echo, by one thread that waits in epoll
  serverlab-server --engine=poll-offload --threads=4 --queue=lifo --cpus=0 --listen=[::1]:0
      one thread waits in poll, four run the sessions, all on one CPU; a free port of IPv6)";

constexpr Setting what[] = {
    {"engine", "NAME", "", "how to serve: a name from --list", "What is served, where"},
    {"service", "NAME", "echo", "what to serve: a name from --list", "What is served, where"},
    {"connection-log", "FILE", "", "a row for each connection as it ends, tab-separated",
     "What is served, where"},
};

bool names(std::string_view list, std::string_view name) {
  std::istringstream words{std::string(list)};
  for (std::string word; words >> word;) {
    if (word == name) return true;
  }
  return false;
}

const Engine& chosen_engine(const Settings& settings) {
  const std::string& name = settings.text("engine");
  if (name.empty()) throw UsageError("--engine=NAME is needed; --list names the engines");
  const Engine* engine = find_engine(name);
  if (engine == nullptr)
    throw UsageError(fmt::format("there is no engine '{}'; --list names them", name));
  return *engine;
}

const ServiceRow& chosen_service(const Settings& settings) {
  const std::string& name = settings.text("service");
  const ServiceRow* service = find_service(name);
  if (service == nullptr)
    throw UsageError(fmt::format("there is no service '{}'; --list names them", name));
  return *service;
}

// A setting that would do nothing is refused: whoever gave it would believe that it did something.
void refuse_meaningless(const Settings& settings, const Engine& engine, const ServiceRow& service) {
  for (const Setting& setting : serve_settings()) {
    if (settings.is_set(setting.name) && names(engine.ignores, setting.name)) {
      throw UsageError(
          fmt::format("--{} means nothing to the engine '{}'", setting.name, engine.name));
    }
  }
  for (const Setting& setting : engine_settings()) {
    if (settings.is_set(setting.name) && !names(engine.knows, setting.name)) {
      throw UsageError(
          fmt::format("--{} means nothing to the engine '{}'", setting.name, engine.name));
    }
  }
  for (const Setting& setting : service_settings()) {
    if (settings.is_set(setting.name) && !has_setting(service.service_settings, setting.name)) {
      throw UsageError(
          fmt::format("--{} means nothing to the service '{}'", setting.name, service.name));
    }
  }
}

Service make_service(const Settings& settings, const Engine& engine, const ServiceRow& row) {
  if (!engine.serves.empty() && engine.serves != row.name) {
    throw UsageError(fmt::format("the engine '{}' serves '{}' and nothing else, not '{}'",
                                 engine.name, engine.serves, row.name));
  }
  if (!engine.one_process && row.shares_state) {
    throw UsageError(
        fmt::format("the engine '{}' serves connections in processes of their own, and those of "
                    "the service '{}' share what is in memory",
                    engine.name, row.name));
  }
  Service service = row.service(settings);
  if (service.thread_bound && !engine.sessions_stay) {
    throw UsageError(
        fmt::format("the engine '{}' moves sessions from thread to thread, and the service '{}' "
                    "keeps no lock as it was set up",
                    engine.name, row.name));
  }
  const std::string& log = settings.text("connection-log");
  if (!log.empty() && engine.in_kernel) {
    throw UsageError(fmt::format("--connection-log: the engine '{}' runs no sessions to be logged",
                                 engine.name));
  }
  return log.empty() ? service : logged(std::move(service), log);
}

Json figures_json(const Service& service) {
  Json json = Json::object();
  if (!service.figures) return json;
  for (const auto& [name, value] : service.figures()) json[std::string(name)] = value;
  return json;
}

void print_summary(const Engine& engine, const Service& service) {
  const Counters total = counters_total();
  Json event = {{"event", "summary"},
                {"requests", total.requests},
                {"accepts", total.accepts},
                {"bytes_in", total.bytes_in},
                {"bytes_out", total.bytes_out},
                {"syscalls", Json()},
                {"events", Json()},
                {"would_block", Json()},
                {"service", figures_json(service)}};
  if (engine.counts_syscalls) {
    event["syscalls"] = {{"receive", total.receives},
                         {"send", total.sends},
                         {"wait", total.waits},
                         {"change", total.changes},
                         {"wake", total.wakes}};
    event["events"] = total.events;
    event["would_block"] = total.would_block;
  }
  print_event(event);
}

int serve(int argc, char** argv) {
  const std::vector<Setting> of_services = service_settings();
  const std::vector<std::span<const Setting>> tables = {what, serve_settings(), engine_settings(),
                                                        of_services, socket_settings()};
  Settings settings;
  for (const auto table : tables) settings.add(table);
  const std::pair<std::string, std::string> flags[] = {
      {"list", "print the engines and the services"},
      {"list-json", "print engines, services and settings as JSON"},
  };
  const auto flag =
      parse({"serverlab-server", "Serves one service by one engine, until SIGTERM.", examples},
            argc, argv, tables, flags, settings);
  if (flag == "list") print_list();
  if (flag == "list-json") print_event(list_json(tables));
  if (flag) return 0;

  const Engine& engine = chosen_engine(settings);
  const ServiceRow& service = chosen_service(settings);
  refuse_meaningless(settings, engine, service);
  if (const std::string lack = lacking(engine); !lack.empty())
    throw UsageError(fmt::format("the engine '{}' cannot run here: {}", engine.name, lack));
  const Service served = make_service(settings, engine, service);
  const std::uint64_t descriptors = raise_descriptor_limit();
  ServeOptions options = serve_options(settings, pin_to(settings.cpus("cpus")));
  if (options.listening.backlog > backlog_max()) {
    print_event({{"event", "notice"},
                 {"text", fmt::format("backlog {} clamped to net.core.somaxconn, {}",
                                      options.listening.backlog, backlog_max())}});
    options.listening.backlog = backlog_max();
  }
  options.announce = [&](const Address& address) {
    print_event({{"event", "listening"},
                 {"address", address.to_string()},
                 {"engine", engine.name},
                 {"service", service.name},
                 {"pid", ::getpid()},
                 {"descriptors_max", descriptors},
                 {"version", version_text()}});
  };
  options.notify = [](const std::string& text) {
    print_event({{"event", "notice"}, {"text", text}});
  };
  StopSignal stop;
  stop.raise_on_termination();
  if (served.set_stop) served.set_stop([&stop] { stop.raise(); });
  engine.serve(options, served, stop);
  print_summary(engine, served);
  return 0;
}

}  // namespace
}  // namespace serverlab

int main(int argc, char** argv) {
  return serverlab::run_program("serverlab-server", serverlab::serve, argc, argv);
}
