// asio-shared: N threads run one Asio io_context; whichever is free takes the next callback.
//
//               ┌── io_context ───────────────┐     ┌─ thread 1: run() ─┐
//   clients ══▶ │ one epoll, one queue of     │ ──▶ │ thread 2: run()   │
//               │ callbacks, one mutex        │     │   ⋮               │
//               └─────────────────────────────┘     └─ thread N: run() ─┘

#include "engines/engine.h"
#include "engines/loops/asio_connection.h"
#include "engines/workers/crew.h"

namespace serverlab {

void serve_asio_shared(const ServeOptions& options, const Service& service,
                       const StopSignal& stop) {
  boost::asio::io_context context(options.threads);
  const AsioServer server(context, options, stop, calling_back(options, service, stop));
  Crew crew(stop);
  crew.start(options.threads, [&] { return [&] { run_guarded(context, options); }; });
  options.announce(server.address());
  crew.join();
}

}  // namespace serverlab
