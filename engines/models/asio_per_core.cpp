// asio-per-core: N threads, each with an Asio io_context, an acceptor and connections of its own.
//
//               ┌─ the port ──────────────┐
//   clients ══▶ │ SO_REUSEPORT: the       │ ──▶ thread 1: acceptor, io_context, its connections
//               │ kernel deals by a hash  │ ──▶ thread 2: acceptor, io_context, its connections
//               └─────────────────────────┘ ──▶ thread N: acceptor, io_context, its connections
//
// Nothing is shared and nothing is handed over. A connection stays where the hash has put it, even
// when its neighbours keep that thread busy and another one idles.

#include "engines/engine.h"
#include "engines/loops/asio_connection.h"
#include "engines/workers/crew.h"

#include <latch>
#include <list>

namespace serverlab {
namespace {

constexpr int one_thread = 1;  // tells Asio that it needs no locks for its own queues

struct Core {
  Core(const ServeOptions& options, const Service& service, const StopSignal& stop,
       std::latch& all_closed) :
      server(context, options, stop, calling_back(options, service, stop),
             [&] { all_closed.arrive_and_wait(); }) {}

  boost::asio::io_context context{one_thread};
  AsioServer server;
};

}  // namespace

void serve_asio_per_core(const ServeOptions& options, const Service& service,
                         const StopSignal& stop) {
  ServeOptions of_each = options;
  of_each.listening.share_port = true;
  of_each.listening.found_port = true;
  // All listen before one accepts, for the hash is over those that are there; and none ends a
  // connection before all have closed, or a client that reconnects at once would meet one that is
  // still open.
  std::latch all_closed(options.threads);
  std::list<Core> cores;
  for (int i = 0; i < options.threads; ++i) {
    of_each.listen = cores.emplace_back(of_each, service, stop, all_closed).server.address();
    of_each.listening.found_port = false;
  }
  Crew crew(stop);
  crew.start(options.threads, [&options, core = cores.begin()]() mutable {
    return [&options, &context = (core++)->context] { run_guarded(context, options); };
  });
  options.announce(of_each.listen);
  crew.join();
}

}  // namespace serverlab
