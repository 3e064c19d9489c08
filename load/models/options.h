#pragma once

// What a load model is asked to do.

#include "load/models/schedule.h"

#include <cstdint>

namespace serverlab {

/// When requests are issued, and on which connections: load/models/catalog.cpp says what each does.
enum class ModelName { closed, open, open_bounded, sessions, churn, ramp, hold };

/// When a client begins: with all others, once all are connected; or once it is connected itself.
enum class Start { together, own };

/// How many connections issue requests, over the window: `from` at first, all at the end.
struct ConnectionRamp {
  std::uint32_t from = 0;
  int steps = 0;  // zero: linear
};

struct ModelOptions {
  ModelName name = ModelName::closed;
  std::uint32_t connections = 1;   // to each target, over all workers of all parts
  ConnectionRamp connection_ramp;  // ramp without a rate
  std::uint32_t depth = 1;
  RateProfile rate;  // of requests, sessions or probes, in total
  Arrivals arrivals = Arrivals::poisson;
  std::uint32_t backlog_max = 0;  // open-bounded: arrivals that may wait for a connection
  std::uint32_t requests = 1;     // sessions, churn: on each connection
  std::uint32_t sessions = 0;  // sessions, churn: of each client, which is done then; 0: any number
  Start start = Start::together;  // closed
  Duration think{};               // from a reply to the next request of the connection
  bool think_varies = false;      // exponentially, with that mean
  Duration expected_response{};   // sessions: what the schedule allows for the reply before
  double throttle_per_s = 0;      // closed: requests on each connection at most; 0: any number
  std::uint32_t burst = 1;        // closed: requests that a throttle lets through at once
  std::uint64_t seed = 1;

  /// Whether all connections are opened before the load begins, and kept.
  bool keeps_open() const {
    return name != ModelName::sessions && name != ModelName::churn && start == Start::together;
  }

  /// Whether the load ends once each client has done what it was to do; the window is a limit then.
  bool ends_when_done() const { return sessions > 0 || start == Start::own; }
};

}  // namespace serverlab
