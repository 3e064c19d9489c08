// asio-callbacks: one thread runs an Asio io_context; a callback for each completed operation.
//
//               ┌────────────────── one thread ─────────────────┐
//   clients ══▶ │ io_context.run(): wait in epoll (edge-        │
//               │ triggered) ─▶ do the operation ─▶ callback ─┐ │
//               │      ▲                                      │ │
//               │      └────── which starts the next one ◀────┘ │
//               └───────────────────────────────────────────────┘

#include "engines/engine.h"
#include "engines/loops/asio_connection.h"

namespace serverlab {

void serve_asio_callbacks(const ServeOptions& options, const Service& service,
                          const StopSignal& stop) {
  constexpr int one_thread = 1;  // tells Asio that it needs no locks for its own queues
  boost::asio::io_context context(one_thread);
  const AsioServer server(context, options, stop, calling_back(options, service, stop));
  options.announce(server.address());
  run_guarded(context, options);
}

}  // namespace serverlab
