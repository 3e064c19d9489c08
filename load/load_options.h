#pragma once

// What a load is.

#include "base/settings.h"
#include "load/models/schedule.h"
#include "net/address.h"
#include "net/socket_options.h"

#include <cstdint>
#include <vector>

namespace serverlab {

/// When requests are issued, and on which connections. Each is explained where it is implemented.
enum class ModelName { closed, open, open_bounded, sessions, churn, ramp, hold };
constexpr std::string_view model_names[] = {"closed", "open", "open-bounded", "sessions",
                                            "churn",  "ramp", "hold"};

struct ModelOptions {
  ModelName name = ModelName::closed;
  std::uint32_t connections = 1;  // to each target, over all workers
  std::uint32_t depth = 1;
  RateProfile rate;  // of requests, sessions or probes, in total
  Arrivals arrivals = Arrivals::poisson;
  std::uint32_t backlog_max = 0;  // open-bounded: arrivals that may wait for a connection
  std::uint32_t requests = 1;     // sessions, churn: on each connection
  Duration think{};               // from an answer to the next request of the same connection
  bool think_varies = false;      // exponentially, with that mean
  Duration expected_response{};   // sessions: what the schedule allows for a predecessor's answer
  double throttle_per_s = 0;      // closed: requests on each connection at most; 0: any number
  std::uint32_t burst = 1;        // closed: requests that a throttle lets through at once
  std::uint64_t seed = 1;

  /// Whether all connections are opened before the load begins, and kept.
  bool keeps_open() const { return name != ModelName::sessions && name != ModelName::churn; }
};

enum class Pacing { spin, sleep };
enum class TransportName { epoll, uring };
enum class SliceOrder { abba, latin };

struct LoadOptions {
  std::vector<Address> targets;
  std::vector<int> server_pids;  // of the targets; empty, or one each
  SocketOptions socket;
  std::vector<Address> sources;  // local addresses to connect from; empty: the system's choice
  ModelOptions model;
  TransportName transport = TransportName::epoll;
  Pacing pacing = Pacing::sleep;
  int threads = 1;    // in each process
  int processes = 1;  // above 1: the workers are forked
  Duration warmup{};
  bool warmup_until_steady = false;  // `warmup` is the limit
  Duration duration{};               // of the window; with slices, of all windows of a target
  Duration slice{};                  // above zero: how often the load moves on to another target
  SliceOrder order = SliceOrder::abba;
  Duration timeout{};             // of a request, and of the drain at the end
  Duration connect_timeout{};     // until all connections must be open
  double connect_rate_per_s = 0;  // 0: as fast as they are accepted

  std::string connection_log;  // a file to which workers add a row a connection; empty: none

  std::uint32_t workers() const { return static_cast<std::uint32_t>(threads * processes); }
};

/// The settings of a load, apart from those of the workload and the sockets.
std::span<const Setting> load_settings();

/// @param cpus how many CPUs the generator may run on
/// @throws BadSetting, or std::runtime_error if a target cannot be resolved
LoadOptions load_options(const Settings& settings, int cpus);

}  // namespace serverlab
