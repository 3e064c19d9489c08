// serverlab-server: serves one service by one engine, until SIGTERM or SIGINT.
//
// On stdout one JSON object a line: `listening` when connections are accepted, `notice` where
// something was asked for and not granted, or after an error from which the server recovered,
// `usage` at a SIGUSR1, `summary` at the end (docs/results-schema.md). On failure, one sentence on
// stderr.

#include "engines/catalog.h"
#include "engines/connections/peer_timeouts.h"
#include "programs/call_filter.h"
#include "programs/check.h"
#include "programs/command_line.h"
#include "programs/connection_log.h"
#include "programs/landlock.h"
#include "programs/last_resort.h"
#include "programs/privileges.h"
#include "programs/process.h"
#include "programs/server_list.h"
#include "programs/server_summary.h"
#include "programs/stamped_service.h"
#include "programs/standard_streams.h"
#include "programs/usage.h"
#include "programs/version.h"
#include "services/catalog.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <sys/prctl.h>
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
    {"stamps", "on|off", "off",
     "time messages, waits for locks and connections, for the summary; costs clock readings",
     "What is served, where"},
    {"confine", "on|off", "on",
     "filter system calls, which costs each a little; off: what Landlock refuses is refused alone",
     "What is served, where"},
};

std::vector<std::string> names_of(auto rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

const Engine& chosen_engine(const Settings& settings) {
  const std::string& name = settings.text("engine");
  if (name.empty()) throw UsageError("--engine=NAME is required; --list names the engines");
  const Engine* engine = find_engine(name);
  if (engine == nullptr) {
    throw UsageError(fmt::format("--engine: there is no engine '{}'; {}", name,
                                 did_you_mean(name, names_of(engines()), "--list names them")));
  }
  return *engine;
}

const ServiceRow& chosen_service(const Settings& settings) {
  const std::string& name = settings.text("service");
  const ServiceRow* service = find_service(name);
  if (service == nullptr) {
    throw UsageError(fmt::format("--service: there is no service '{}'; {}", name,
                                 did_you_mean(name, names_of(services()), "--list names them")));
  }
  return *service;
}

// A setting that would do nothing is refused: the user would believe that it did something.
void refuse_meaningless(const Settings& settings, const Engine& engine, const ServiceRow& service) {
  for (const Setting& setting : serve_settings()) {
    if (settings.is_set(setting.name) && engine.unsupported_settings.contains(setting.name)) {
      throw UsageError(
          fmt::format("--{}: the engine '{}' does not support it", setting.name, engine.name));
    }
  }
  for (const Setting& setting : engine_settings()) {
    if (settings.is_set(setting.name) && !engine.extra_settings.contains(setting.name)) {
      throw UsageError(
          fmt::format("--{}: the engine '{}' does not support it", setting.name, engine.name));
    }
  }
  for (const Setting& setting : service_settings()) {
    if (settings.is_set(setting.name) && !has_setting(service.service_settings, setting.name)) {
      throw UsageError(
          fmt::format("--{}: the service '{}' does not support it", setting.name, service.name));
    }
    if (settings.is_set(setting.name) && engine.in_kernel) {
      throw UsageError(fmt::format("--{}: the engine '{}' runs no sessions, so it cannot keep it",
                                   setting.name, engine.name));
    }
  }
}

Service make_service(const Settings& settings, const Engine& engine, const ServiceRow& row) {
  if (!engine.serves.empty() && engine.serves != row.name) {
    throw UsageError(fmt::format("the engine '{}' serves only '{}', not '{}'", engine.name,
                                 engine.serves, row.name));
  }
  if (!engine.one_process && row.shares_state) {
    throw UsageError(
        fmt::format("the engine '{}' serves connections in separate processes, but connections to "
                    "the service '{}' share its memory",
                    engine.name, row.name));
  }
  Service service = row.service(settings);
  if (service.thread_bound && !engine.sessions_stay) {
    throw UsageError(
        fmt::format("the engine '{}' moves sessions from thread to thread, but with these settings "
                    "the service '{}' has no lock",
                    engine.name, row.name));
  }
  if (!settings.text("connection-log").empty() && engine.in_kernel) {
    throw UsageError(
        fmt::format("--connection-log: the engine '{}' runs no sessions, so it has nothing to log",
                    engine.name));
  }
  if (settings.flag("stamps") && engine.in_kernel) {
    throw UsageError(fmt::format(
        "--stamps: the engine '{}' runs no sessions, so it has nothing to time", engine.name));
  }
  return service;
}

// What settings ask for, all of it checked.
struct Asked {
  const Engine& engine;
  const ServiceRow& row;
  Service service;
  ServeOptions options;
};

Asked asked_by(const Settings& settings) {
  const Engine& engine = chosen_engine(settings);
  const ServiceRow& row = chosen_service(settings);
  refuse_meaningless(settings, engine, row);
  Asked asked = {.engine = engine,
                 .row = row,
                 .service = make_service(settings, engine, row),
                 .options = serve_options(settings, 1)};
  // A setting that is wrong is said before what this machine lacks.
  if (const std::string missing = missing_requirement(engine); !missing.empty())
    throw Unsupported(fmt::format("the engine '{}' cannot run here: {}", engine.name, missing));
  asked.options = serve_options(settings, pin_to(settings.cpus("cpus")));
  return asked;
}

// What is recorded of the sessions, where it is asked for.
struct SessionRecords {
  SharedStamps stamps;
  std::shared_ptr<ServerConnectionLog> log;
};

SessionRecords record_sessions(Service& service, const Settings& settings) {
  SessionRecords records;
  if (settings.flag("stamps")) {
    records.stamps = std::make_shared<Shared<Stamps>>();
    service = stamped(std::move(service), records.stamps);
  }
  if (const std::string& path = settings.text("connection-log"); !path.empty()) {
    records.log = std::make_shared<ServerConnectionLog>(path);
    service = logged(std::move(service), records.log);
  }
  return records;
}

// What keeps a server that a peer has taken over from going further (SECURITY.md).
class Confinement {
 public:
  Confinement(const Engine& engine, bool filters) : engine_(engine), filters_(filters) {}

  /// Before there is another thread, as the kernel restricts the one that asks.
  void begin() const {
    keep_capabilities(engine_.in_kernel ? Capabilities::to_echo_in_kernel
                                        : Capabilities::to_listen);
    confine_by_landlock();
    // Else any server of the user could write into this one's memory, by procfs. Where Landlock
    // refuses that, those who watch this server may go on to see its descriptors.
    if (filters_ && landlock_abi() == 0) ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  }

  /// When all sockets and rings are there.
  void complete() {
    if (!filters_ || is_complete_) return;
    is_complete_ = true;
    is_filtered_ = filter_calls({.ring = engine_.has_ring, .bpf = engine_.in_kernel});
  }

  Json json() const { return {{"landlock_abi", landlock_abi()}, {"filter", is_filtered_}}; }

  /// What was asked for and cannot be had, a sentence; or empty.
  std::string lacking() const {
    if (filters_ && !is_filtered_)
      return "the kernel takes no filter of system calls; --confine=off does without";
    return filters_ ? lacking_confinement(is_filtered_) : "";
  }

 private:
  const Engine& engine_;
  const bool filters_;
  bool is_complete_ = false;
  bool is_filtered_ = false;
};

// No JSON object is left when it is printed: clients that know the server may exhaust its memory,
// and the object's destructor allocates.
std::string listening_line(const Engine& engine, const ServiceRow& service, const Address& address,
                           std::uint64_t descriptors, const Confinement& confinement) {
  return event_line({{"event", "listening"},
                     {"address", address.to_string()},
                     {"engine", engine.name},
                     {"service", service.name},
                     {"pid", ::getpid()},
                     {"descriptors_max", descriptors},
                     {"confinement", confinement.json()},
                     {"version", version_json()}});
}

// Set aside for the summary, so that a server whose memory has run out can still say what its
// service counted.
constexpr std::size_t set_aside_bytes = 64 << 10;

int serve(int argc, char** argv) {
  const std::vector<Setting> of_services = service_settings();
  const std::vector<std::span<const Setting>> tables = {what, serve_settings(), engine_settings(),
                                                        of_services, socket_settings()};
  Settings settings;
  for (const auto table : tables) settings.add(table);
  const std::pair<std::string, std::string> flags[] = {
      {"list", "print the engines and the services"},
      {"list-json", "print engines, services and settings as JSON"},
      check_flags()[0],
      check_flags()[1],
  };
  const auto flag =
      parse({"serverlab-server", "Serves one service by one engine, until SIGTERM.", examples},
            argc, argv, tables, flags, settings);
  if (flag == "list") print_list();
  if (flag == "list-json") print_event(list_json(tables));
  if (flag && flag->starts_with("check")) run_check(*flag, settings, asked_by);
  if (flag) return 0;

  auto [engine, row, served, options] = asked_by(settings);
  ignore_write_signals();
  const SessionRecords records = record_sessions(served, settings);
  const std::uint64_t descriptors = raise_descriptor_limit();
  if (options.listening.backlog > backlog_max()) {
    print_notice(fmt::format("backlog {} clamped to net.core.somaxconn, {}",
                             options.listening.backlog, backlog_max()));
    options.listening.backlog = backlog_max();
  }
  Confinement confinement(engine, settings.flag("confine"));
  options.confine = [&] { confinement.complete(); };
  options.announce = [&](const Address& address) {
    keep_capabilities(Capabilities::none);
    confinement.complete();
    if (const std::string lacking = confinement.lacking(); !lacking.empty()) print_notice(lacking);
    print_out(listening_line(engine, row, address, descriptors, confinement));
  };
  options.notify = print_notice;
  auto for_summary = std::make_unique<std::byte[]>(set_aside_bytes);
  StopSignal stop;
  std::optional<LastResort> last_resort;
  // Else the parent, which runs no session, ends the processes, and each has timeouts of its own.
  std::optional<PeerTimeouts> peer_timeouts;
  if (engine.one_process) {
    last_resort.emplace(engine, stop, options.drain_limit);
    peer_timeouts.emplace(options);
  }
  stop.raise_on_termination();
  report_usage_on_request();
  if (served.set_stop) served.set_stop([&stop] { stop.raise(); });
  confinement.begin();
  engine.serve(options, served, stop);
  peer_timeouts.reset();
  last_resort.reset();
  for_summary.reset();
  print_summary(engine, counters_total(), figures_json(served), options.drain_limit,
                records.stamps ? stamps_json(**records.stamps) : "");
  if (records.log) records.log->close();
  return 0;
}

}  // namespace
}  // namespace serverlab

int main(int argc, char** argv) {
  return serverlab::run_program("serverlab-server", serverlab::serve, argc, argv);
}
