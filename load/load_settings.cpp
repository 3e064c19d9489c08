#include "load/load_settings.h"

#include "load/local_addresses.h"
#include "load/models/catalog.h"
#include "load/shared_memory.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <fmt/format.h>

namespace serverlab {
namespace {

constexpr auto target = "The target";
constexpr auto when = "When requests are issued";
constexpr auto how_long = "How long";
constexpr auto how = "The generator itself";

constexpr double rate_max_per_s = 1e7;  // what one thread can draw from a schedule in time
constexpr std::int64_t connections_max = 1 << 24;
constexpr std::int64_t steps_max = 1000;

RateProfile rate_profile(const Settings& settings, bool ramps) {
  const double rate_per_s = settings.number("rate", 0, rate_max_per_s);
  if (!ramps) return {.to_per_s = rate_per_s};
  return {.from_per_s = settings.number("ramp-from", 0, rate_max_per_s),
          .to_per_s = rate_per_s,
          .over = settings.duration("duration", Duration::zero(), std::chrono::hours(24)),
          .steps = static_cast<int>(settings.count("ramp-steps", 0, steps_max))};
}

ConnectionRamp connection_ramp(const Settings& settings) {
  return {.from = static_cast<std::uint32_t>(settings.count("ramp-from", 0, connections_max)),
          .steps = static_cast<int>(settings.count("ramp-steps", 0, steps_max))};
}

ModelOptions model_options(const Settings& settings, const LoadModel& model) {
  using std::chrono::hours;
  constexpr std::int64_t count_max = 1 << 30;
  constexpr std::int64_t depth_max = 1 << 16;
  const bool ramps = model.model == ModelName::ramp;
  return {
      .name = model.model,
      .connections = static_cast<std::uint32_t>(settings.count("connections", 1, connections_max)),
      .connection_ramp = ramps && !model.has_rate ? connection_ramp(settings) : ConnectionRamp(),
      .depth = static_cast<std::uint32_t>(settings.count("depth", 1, depth_max)),
      .rate = rate_profile(settings, ramps && model.has_rate),
      .arrivals = settings.text("arrivals") == "constant" ? Arrivals::constant : Arrivals::poisson,
      .backlog_max = static_cast<std::uint32_t>(settings.count("backlog-max", 0, count_max)),
      .requests = static_cast<std::uint32_t>(settings.count("requests", 1, count_max)),
      .sessions = static_cast<std::uint32_t>(settings.count("sessions", 0, count_max)),
      .start = settings.text("start") == "own" ? Start::own : Start::together,
      .think = settings.duration("think", Duration::zero(), hours(1)),
      .think_varies = settings.flag("think-varies"),
      .expected_response = settings.duration("expected-response", Duration::zero(), hours(1)),
      .throttle_per_s = settings.number("throttle", 0, rate_max_per_s),
      .burst = static_cast<std::uint32_t>(settings.count("burst", 1, count_max)),
      .seed = static_cast<std::uint64_t>(settings.count("seed", 0, INT64_MAX)),
  };
}

Pacing pacing(const Settings& settings, const LoadOptions& options, int cpus) {
  const std::string& text = settings.text("pacing");
  if (text != "auto") return text == "spin" ? Pacing::spin : Pacing::sleep;
  const bool scheduled = options.model.rate.to_per_s > 0 && options.model.name != ModelName::hold;
  const bool has_own_cpus =
      !settings.text("cpus").empty() && cpus >= static_cast<int>(options.workers());
  return scheduled && has_own_cpus ? Pacing::spin : Pacing::sleep;
}

// "2/3".
Part part(const std::string& text) {
  constexpr std::uint32_t parts_max = 1000;
  Part part;
  const char* const end = text.data() + text.size();
  const auto number = std::from_chars(text.data(), end, part.number);
  const bool has_slash = number.ec == std::errc() && number.ptr != end && *number.ptr == '/';
  const auto of = has_slash ? std::from_chars(number.ptr + 1, end, part.of) : number;
  if (!has_slash || of.ec != std::errc() || of.ptr != end) {
    throw BadSetting(
        fmt::format("--part: '{}' is not a number and the number of parts, as 2/3", text));
  }
  if (part.of > parts_max) throw BadSetting(fmt::format("--part: at most {} parts", parts_max));
  if (part.number < 1 || part.number > part.of) {
    throw BadSetting(fmt::format("--part: there is no part {} of {}", part.number, part.of));
  }
  return part;
}

// What is kept of each slice, until the end, takes some kilobytes.
void refuse_too_many_slices(const Settings& settings, const LoadOptions& options) {
  constexpr std::int64_t slices_max = 200'000;
  if (options.slice == Duration::zero()) return;
  const auto targets = static_cast<std::int64_t>(options.targets.size());
  const std::int64_t of_each = options.duration / options.slice + 1;
  if (of_each <= slices_max / targets) return;
  throw BadSetting(
      fmt::format("--slice: {} slices of {} for each target are too many, the load may have {} "
                  "in all; choose longer slices, or a shorter --duration",
                  of_each, settings.text("slice"), slices_max));
}

// A warm-up would be the first part of what each client is to do.
void refuse_warmup(const Settings& settings, LoadOptions& options) {
  if (!options.model.ends_when_done()) return;
  if (settings.is_set("warmup") && options.warmup > Duration::zero()) {
    throw BadSetting(fmt::format("--warmup: with --{} there is none; remove it, or write 0s",
                                 options.model.sessions > 0 ? "sessions" : "start=own"));
  }
  options.warmup = {};
}

void refuse_contradictions(const LoadOptions& options) {
  const ModelOptions& model = options.model;
  if (model.ends_when_done() && options.slice > Duration::zero()) {
    throw BadSetting(
        fmt::format("--slice: with --{} the load is not divided into slices; remove one of the two",
                    model.sessions > 0 ? "sessions" : "start=own"));
  }
  if (options.workers_of_all() > model.connections) {
    throw BadSetting(fmt::format("--connections: {} workers cannot share {} connections",
                                 options.workers_of_all(), model.connections));
  }
  if (options.targets.size() > 1 && options.slice == Duration::zero()) {
    throw BadSetting("--target: several targets need --slice=200ms, in which they take turns");
  }
  if ((options.part.of > 1 || options.begin_is_told) && options.warmup_until_steady) {
    throw BadSetting("--warmup=auto: parts of a load would end their warm-ups at different times");
  }
  if (options.part.of > 1 && !options.begin_is_told && options.slice > Duration::zero()) {
    throw BadSetting(
        "--slice: parts of a load would move on to the next target at different times, unless they "
        "are told when: --begin=told");
  }
  if (options.targets.size() > targets_max) {
    throw BadSetting(fmt::format("--target: more than {} targets", targets_max));
  }
  if (!options.server_pids.empty() && options.server_pids.size() != options.targets.size()) {
    throw BadSetting("--server-pid: as many as there are targets, or none");
  }
}

}  // namespace

std::span<const Setting> load_settings() {
  static const std::vector<Setting> rows = {
      {"target", "HOST:PORT ...", "", "the server; several times with --slice", target},
      {"server-pid", "PID ...", "",
       "the server's process, to read its CPU time; one for each target", target},
      {"source", "HOST ...", "auto", "local addresses to connect from; auto: enough of 127.0.0.0/8",
       target},
      {"model", model_choices(), "closed",
       "closed: a reply intends the next request; open: a schedule does", when},
      {"connections", "COUNT", "1", "connections to each target", when},
      {"depth", "COUNT", "1", "most requests in flight on a connection", when},
      {"rate", "RATE", "0", "arrivals per second in total: requests, sessions, or probes of hold",
       when},
      {"arrivals", "poisson|constant", "poisson", "how the gaps between arrivals are distributed",
       when},
      {"backlog-max", "COUNT", "1000", "open-bounded: arrivals that may wait; more are dropped",
       when},
      {"requests", "COUNT", "10", "sessions, churn: requests on each connection", when},
      {"sessions", "COUNT", "0",
       "sessions, churn: how many each client does, before --duration ends; 0: any number", when},
      {"think", "DURATION", "0s", "closed, sessions, churn: time from a reply to the next request",
       when},
      {"think-varies", "on|off", "off", "think times are exponentially distributed", when},
      {"throttle", "RATE", "0", "closed: most requests per second on each connection; 0: no limit",
       when},
      {"burst", "COUNT", "1", "closed: requests that a throttle lets through at once", when},
      {"start", "together|own", "together",
       "closed: own: each client begins when it is connected, and closes after --duration", when},
      {"expected-response", "DURATION", "1ms",
       "sessions: time that the schedule allows for a reply", when},
      {"ramp-from", "NUMBER", "1",
       "ramp: the rate, or without --rate the connections, to begin with", when},
      {"ramp-steps", "COUNT", "0", "ramp: number of equal steps; 0: a straight line", when},
      {"seed", "COUNT", "1", "random seed of the schedule, think times and slice order", when},
      {"duration", "DURATION", "10s",
       "the measured window; with --sessions its limit, with --start=own the time of each client",
       how_long},
      {"warmup", "DURATION", "1s", "load before the window, not measured; auto: until it is steady",
       how_long},
      {"slice", "DURATION", "0s", "how often to move to the next target; 0: one target", how_long},
      {"order", "abba|latin", "abba", "in which order the targets get slices", how_long},
      {"timeout", "DURATION", "3s", "a request fails after this time without a reply", how_long},
      {"connect-timeout", "DURATION", "10s", "time for all connections to open", how_long},
      {"connect-rate", "RATE", "0",
       "connections opened per second; 0: as fast as they are accepted", how_long},
      {"threads", "COUNT", "1", "threads of the generator, which share the connections", how},
      {"processes", "COUNT", "1", "processes, each with --threads threads, for more descriptors",
       how},
      {"part", "NUMBER/PARTS", "1/1",
       "issue one of so many equal parts of the load; each --threads and --processes are a part's",
       how},
      {"begin", "connected|told", "connected",
       "when the load begins; told: at the instant of CLOCK_MONOTONIC that the line 'begin NS' on "
       "standard input names, once it has said 'connected'",
       how},
      {"cpus", "CPUS", "", "run on these CPUs only, such as 1 or 0,2-3", how},
      {"pacing", "auto|spin|sleep", "auto",
       "how to wait; auto: spin if there is a schedule and --cpus has a CPU per thread", how},
      {"transport", "epoll|uring", "epoll", "how bytes are sent and received", how},
  };
  return rows;
}

LoadOptions load_options(const Settings& settings, int cpus) {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  constexpr std::int64_t workers_max = 1024;
  constexpr Duration warmup_limit = std::chrono::seconds(20);
  const bool steady = settings.text("warmup") == "auto";
  const LoadModel& model = load_model(settings.text("model"), settings.is_set("rate"));
  refuse_unused(settings, model);
  LoadOptions options = {
      .targets = {},
      .server_pids = {},
      .socket = socket_options(settings),
      .sources = {},
      .model = model_options(settings, model),
      .transport =
          settings.text("transport") == "uring" ? TransportName::uring : TransportName::epoll,
      .threads = static_cast<int>(settings.count("threads", 1, workers_max)),
      .processes = static_cast<int>(settings.count("processes", 1, workers_max)),
      .part = part(settings.text("part")),
      .begin_is_told = settings.text("begin") == "told",
      .warmup = steady ? warmup_limit : settings.duration("warmup", Duration::zero(), hours(1)),
      .warmup_until_steady = steady,
      .duration = settings.duration("duration", milliseconds(1), hours(24)),
      .slice = settings.duration("slice", Duration::zero(), hours(1)),
      .order = settings.text("order") == "latin" ? SliceOrder::latin : SliceOrder::abba,
      .timeout = settings.duration("timeout", milliseconds(1), hours(1)),
      .connect_timeout = settings.duration("connect-timeout", milliseconds(1), hours(1)),
      .connect_rate_per_s = settings.number("connect-rate", 0, 1e9),
      .connection_log = {},
  };
  for (const std::string& address : settings.list("target"))
    options.targets.push_back(Address::parse(address));
  if (options.targets.empty()) throw BadSetting("--target=HOST:PORT is needed");
  options.server_pids = settings.counts("server-pid", 1, INT_MAX);
  if (model.has_rate && options.model.rate.to_per_s <= 0) {
    throw BadSetting(fmt::format("--rate: --model={} needs a rate above 0 per second", model.name));
  }
  options.pacing = pacing(settings, options, cpus);
  refuse_warmup(settings, options);
  refuse_contradictions(options);
  refuse_too_many_slices(settings, options);
  options.sources = local_addresses(options, settings.list("source"));
  return options;
}

}  // namespace serverlab
