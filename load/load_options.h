#pragma once

// What a load is.

#include "load/models/options.h"
#include "load/share.h"
#include "load/transports/transport.h"
#include "net/address.h"
#include "net/socket_options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace serverlab {

enum class Pacing { spin, sleep };
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
  Part part;
  bool begin_is_told = false;  // on standard input, when all connections are open
  Duration warmup{};
  bool warmup_until_steady = false;  // `warmup` is the limit
  Duration duration{};               // of the window; with slices, of all windows of a target
  Duration slice{};                  // above zero: how often the load moves on to another target
  SliceOrder order = SliceOrder::abba;
  Duration timeout{};             // of a request, and of the drain at the end
  Duration connect_timeout{};     // until all connections must be open
  double connect_rate_per_s = 0;  // 0: as fast as they are accepted

  std::string connection_log;  // a file to which workers add a row a connection; empty: none

  /// How long a window may be that is not sliced. Of clients that start on their own, each has the
  /// duration, and begins at the latest when the time to connect is over.
  Duration window_limit() const {
    return model.start == Start::own ? connect_timeout + duration : duration;
  }

  /// Of this part.
  std::uint32_t workers() const { return static_cast<std::uint32_t>(threads * processes); }

  /// Of all parts.
  std::uint32_t workers_of_all() const { return part.of * workers(); }

  /// @param worker of this part
  Share share(std::uint32_t worker) const {
    return {.worker = (part.number - 1) * workers() + worker, .workers = workers_of_all()};
  }

  /// To each target, of this part.
  std::uint32_t connections() const {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < workers(); ++i) sum += share(i).count(model.connections);
    return sum;
  }
};

}  // namespace serverlab
