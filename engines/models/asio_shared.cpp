// asio-shared: N threads run one Asio io_context; whichever is free takes the next callback.
//
//               ┌── io_context ───────────────┐     ┌─ thread 1: run() ─┐
//   clients ══▶ │ one epoll, one queue of     │ ──▶ │ thread 2: run()   │
//               │ callbacks, one mutex        │     │   ⋮               │
//               └─────────────────────────────┘     └─ thread N: run() ─┘

#include "engines/loops/asio_server.h"
#include "engines/engine.h"
#include "net/thread.h"

#include <vector>

namespace serverlab {

void serve_asio_shared(const ServeOptions& options, const Service& service,
                       const StopSignal& stop) {
  boost::asio::io_context context(options.threads);
  const AsioServer server(context, options, service, stop);
  std::vector<std::jthread> threads;
  for (int i = 1; i < options.threads; ++i) {
    threads.push_back(make_thread([&context] { context.run(); }));
  }
  context.run();
}

}  // namespace serverlab
