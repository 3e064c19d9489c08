// serverlab-probe: says what the threads of servers do with their CPU time, part by part: user
// mode, each system call, interrupts' work; and how long they wait, and for what. Or, given the
// ports of the servers, where requests wait.
//
// On stdout one JSON object a line (docs/results-schema.md): `probing` when the kernel has taken
// the probe; `parts`, with all that was counted since, after each line of stdin: `attach`,
// `sample`, `detach`, `look`; and `stacks` after that line. With ports, `requests` after each of
// `attach`, `detach`, `look`. On failure, one sentence on stderr.

#include "net/stop_signal.h"
#include "probe/calibration.h"
#include "probe/request_follower.h"
#include "probe/tracer.h"
#include "programs/command_line.h"
#include "programs/process.h"
#include "programs/standard_streams.h"
#include "programs/version.h"

#include <bit>
#include <climits>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

namespace serverlab {
namespace {

constexpr auto examples = R"(Examples:
  serverlab-probe --pid=1234 --for=5s
      what the process 1234, and those that it has made, do within five seconds
  serverlab explain epoll-level poll-offload
      the difference between two servers, part by part, for a person)";

constexpr Setting probe_settings[] = {
    {"pid", "PID ...", "", "a process of each server; those that it has made are the server's, too",
     "What is looked at"},
    {"port", "PORT ...", "",
     "where each server listens: requests are followed from there, and nothing is counted",
     "What is looked at"},
    {"one-in", "COUNT", "8", "of so many connections, the requests of one are followed",
     "What is looked at"},
    {"for", "DURATION", "0s",
     "how long; 0: as lines of standard input say: attach, sample, detach, look, stacks",
     "How long"},
};

constexpr int samples_per_s = 2000;  // of CPU time: a stack takes about a microsecond

struct Asked {
  std::vector<int> servers;
  std::vector<int> ports;
  int one_in = 1;
  Duration duration;
};

Asked asked_by(const Settings& settings) {
  Asked asked = {.servers = settings.counts("pid", 1, INT_MAX),
                 .ports = settings.counts("port", 1, ports_max - 1),
                 .one_in = static_cast<int>(settings.count("one-in", 1, connections_max)),
                 .duration = settings.duration("for", Duration::zero(), std::chrono::hours(24))};
  if (asked.servers.empty()) throw UsageError("--pid=PID is required: a process of a server");
  if (asked.servers.size() >= subjects_max)
    throw UsageError(fmt::format("--pid: more than {} servers", subjects_max - 1));
  if (!asked.ports.empty() && asked.ports.size() != asked.servers.size())
    throw UsageError("--port: as many as --pid are wanted");
  if (!asked.ports.empty() && asked.duration != Duration::zero())
    throw UsageError("--port: requests are followed as lines of standard input say, without --for");
  return asked;
}

Json parts_json(const Tracer& tracer, std::size_t server) {
  Json parts = Json::object();
  for (const auto& [name, counts] : tracer.parts(server)) {
    parts[name] = {{"entries", counts.entries},
                   {"cpu_ns", std::bit_cast<std::int64_t>(counts.cpu_ns)},
                   {"slept_ns", std::bit_cast<std::int64_t>(counts.slept_ns)},
                   {"softirqs", counts.softirqs},
                   {"wakes", counts.wakes},
                   {"waking_ns", std::bit_cast<std::int64_t>(counts.waking_ns)},
                   {"blocks", counts.blocks},
                   {"blocked_ns", counts.blocked_ns},
                   {"preemptions", counts.preemptions},
                   {"run_queue_ns", counts.run_queue_ns},
                   {"contentions", counts.contentions},
                   {"contended_ns", counts.contended_ns}};
  }
  return parts;
}

// What lines of stdin are about.
class Instrument {
 public:
  virtual ~Instrument() = default;
  virtual void obey(const std::string& line) = 0;
};

[[noreturn]] void refuse_line(std::string_view known) {
  throw std::runtime_error(fmt::format("standard input has a line that is none of {}", known));
}

// Where requests wait.
class Requests : public Instrument {
 public:
  explicit Requests(const Asked& asked) :
      servers_(asked.servers),
      follower_(asked.servers, asked.ports, static_cast<std::uint32_t>(asked.one_in)) {}

  void obey(const std::string& line) override {
    if (line == "attach") {
      follower_.attach();
    } else if (line == "detach") {
      follower_.detach();
    } else if (line != "look") {
      refuse_line("attach, detach, look");
    }
    print();
  }

 private:
  void print() {
    std::vector<Json> requests(servers_.size(), Json::array());
    for (const FollowedRequest& one : follower_.take())
      requests[one.server].push_back(Json(one.lanes_ns));
    Json servers = Json::array();
    for (std::size_t server = 0; server < servers_.size(); ++server)
      servers.push_back({{"pid", servers_[server]}, {"requests", requests[server]}});
    print_event({{"event", "requests"},
                 {"attached", follower_.is_attached()},
                 {"lost", follower_.lost()},
                 {"servers", servers}});
  }

  std::vector<int> servers_;
  RequestFollower follower_;
};

// A tracer of servers, which follows this process as well: what the probe costs is measured on it.
class Parts : public Instrument {
 public:
  explicit Parts(const std::vector<int>& servers) :
      servers_(servers), tracer_(with_self(servers)) {}

  void attach() { costs_ = calibration_.attach(tracer_, servers_.size()); }
  void detach() { tracer_.detach(); }

  void obey(const std::string& line) override {
    if (line == "attach") {
      attach();
    } else if (line == "sample") {
      tracer_.sample(samples_per_s);
    } else if (line == "detach") {
      detach();
    } else if (line == "stacks") {
      return print_stacks();
    } else if (line != "look") {
      refuse_line("attach, sample, detach, look, stacks");
    }
    print_parts();
  }

  void print_stacks() const {
    Json servers = Json::array();
    for (std::size_t server = 0; server < servers_.size(); ++server) {
      Json stacks = Json::array();
      for (const auto& [frames, samples] : tracer_.stacks(server))
        stacks.push_back({{"frames", frames}, {"samples", samples}});
      servers.push_back({{"pid", servers_[server]}, {"stacks", stacks}});
    }
    print_event({{"event", "stacks"}, {"servers", servers}});
  }

  void print_parts() const {
    Json servers = Json::array();
    for (std::size_t server = 0; server < servers_.size(); ++server) {
      servers.push_back({{"pid", servers_[server]}, {"parts", parts_json(tracer_, server)}});
    }
    print_event({{"event", "parts"},
                 {"attached", tracer_.is_attached()},
                 {"costs_ns",
                  {{"call", costs_.call.count()},
                   {"softirq", costs_.softirq.count()},
                   {"switch", costs_.context_switch.count()},
                   {"entry", costs_.entry.count()},
                   {"resumption", costs_.resumption.count()}}},
                 {"threads_lost", tracer_.threads_lost()},
                 {"servers", servers}});
  }

 private:
  static std::vector<int> with_self(std::vector<int> servers) {
    servers.push_back(::getpid());
    return servers;
  }

  std::vector<int> servers_;
  Tracer tracer_;
  Calibration calibration_;
  ProbeCosts costs_;  // as they were when it was attached last
};

// Beside the first server's threads, which have nothing to do while the probe measures its costs.
void stay_with(int server) {
  cpu_set_t allowed;
  if (::sched_getaffinity(server, sizeof allowed, &allowed) < 0)
    throw std::runtime_error(fmt::format("--pid: there is no process {}", server));
  int cpu = 0;
  while (CPU_ISSET(cpu, &allowed) == 0) ++cpu;
  pin_to({cpu});
}

// Until a stop is asked for, or standard input ends.
void obey_input(Instrument& instrument, const StopSignal& stop) {
  pollfd watched[] = {{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                      {.fd = stop.fd(), .events = POLLIN, .revents = 0}};
  std::string line;
  while (!stop.raised()) {
    if (::poll(watched, 2, -1) <= 0 || watched[0].revents == 0) continue;
    char byte = 0;
    if (::read(STDIN_FILENO, &byte, 1) <= 0) return;
    if (byte == '\n') {
      instrument.obey(std::exchange(line, {}));
    } else {
      line += byte;
    }
  }
}

void print_probing() {
  print_event({{"event", "probing"}, {"pid", ::getpid()}, {"version", version_json()}});
}

int probe(int argc, char** argv) {
  const std::span<const Setting> tables[] = {probe_settings};
  Settings settings;
  settings.add(probe_settings);
  const auto flag = parse(
      {"serverlab-probe", "Says what the threads of servers do with their CPU time.", examples},
      argc, argv, tables, {}, settings);
  if (flag) return 0;
  const Asked asked = asked_by(settings);
  ignore_write_signals();
  StopSignal stop;
  stop.raise_on_termination();
  stay_with(asked.servers.front());
  if (!asked.ports.empty()) {
    Requests requests(asked);
    print_probing();
    obey_input(requests, stop);
    return 0;
  }
  Parts parts(asked.servers);
  print_probing();
  if (asked.duration == Duration::zero()) {
    obey_input(parts, stop);
  } else {
    parts.attach();
    stop.wait(asked.duration);
    parts.detach();
    parts.print_parts();
  }
  return 0;
}

}  // namespace
}  // namespace serverlab

int main(int argc, char** argv) {
  return serverlab::run_program("serverlab-probe", serverlab::probe, argc, argv);
}
