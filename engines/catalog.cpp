#include "engines/catalog.h"

#include <algorithm>

namespace serverlab {

using Serve = void(const ServeOptions&, const Service&, const StopSignal&);
Serve serve_threads, serve_select, serve_poll, serve_poll_offload, serve_epoll_level,
    serve_epoll_edge, serve_epoll_spin, serve_epoll_reuseport, serve_epoll_handoff, serve_asio_callbacks, serve_asio_shared;

namespace {

constexpr Engine rows[] = {
    {.name = "threads",
     .model = "a thread for each connection blocks in receive and runs its session",
     .neighbour = "",
     .difference = "",
     .ignores = "threads high-water",
     .knows = "",
     .sessions_stay = false,
     .counts_syscalls = true,
     .serve = serve_threads},
    {.name = "select",
     .model = "one thread waits in select for all connections and runs their sessions",
     .neighbour = "threads",
     .difference = "one thread waits for all connections, not each for its own",
     .ignores = "threads",
     .knows = "",
     .sessions_stay = true,
     .counts_syscalls = true,
     .cannot = "descriptors of 1024 and above",
     .serve = serve_select},
    {.name = "poll",
     .model = "one thread waits in poll for all connections and runs their sessions",
     .neighbour = "select",
     .difference = "an array is scanned, where select copies bit sets of 1024",
     .ignores = "threads",
     .knows = "",
     .sessions_stay = true,
     .counts_syscalls = true,
     .serve = serve_poll},
    {.name = "poll-offload",
     .model = "one thread waits in poll; a pool receives, runs the session and sends",
     .neighbour = "poll",
     .difference = "sessions are run by a pool of threads, not by the one that waits",
     .ignores = "",
     .knows = "poll-timeout queue jobs-per-request",
     .sessions_stay = false,
     .counts_syscalls = true,
     .serve = serve_poll_offload},
    {.name = "epoll-level",
     .model = "one thread waits in epoll for all connections and runs their sessions",
     .neighbour = "poll",
     .difference = "the kernel keeps the set of connections, not the caller",
     .ignores = "threads",
     .knows = "",
     .sessions_stay = true,
     .counts_syscalls = true,
     .serve = serve_epoll_level},
    {.name = "epoll-edge",
     .model = "one thread waits in epoll, edge-triggered, and remembers who is ready",
     .neighbour = "epoll-level",
     .difference = "told only of changes, registered once",
     .ignores = "threads",
     .knows = "",
     .sessions_stay = true,
     .counts_syscalls = true,
     .serve = serve_epoll_edge},
    {.name = "epoll-spin",
     .model = "one thread asks epoll again and again, sleeps after a while, and runs the sessions",
     .neighbour = "epoll-level",
     .difference = "asks for events instead of sleeping until there are some",
     .ignores = "threads",
     .knows = "spin",
     .sessions_stay = true,
     .counts_syscalls = true,
     .serve = serve_epoll_spin},
    {.name = "epoll-reuseport",
     .model = "N threads, each with a loop and a listener of its own; the kernel deals",
     .neighbour = "epoll-level",
     .difference = "N loops with N listeners on one port, not one",
     .ignores = "",
     .knows = "",
     .sessions_stay = true,
     .counts_syscalls = true,
     .serve = serve_epoll_reuseport},
    {.name = "epoll-handoff",
     .model = "one thread accepts and deals the connections out to N threads with a loop each",
     .neighbour = "epoll-reuseport",
     .difference = "one thread accepts and deals, not the kernel by a hash",
     .ignores = "",
     .knows = "deal",
     .sessions_stay = true,
     .counts_syscalls = true,
     .serve = serve_epoll_handoff},
    {.name = "asio-callbacks",
     .model = "one thread runs an Asio io_context; a callback for each completed operation",
     .neighbour = "epoll-level",
     .difference = "Asio's reactor and completion handlers instead of a loop of our own",
     .ignores = "threads high-water accept-batch",
     .knows = "",
     .sessions_stay = true,
     .counts_syscalls = false,
     .serve = serve_asio_callbacks},
    {.name = "asio-shared",
     .model = "N threads run one Asio io_context; whichever is free takes the next callback",
     .neighbour = "asio-callbacks",
     .difference = "N threads run the io_context, not one",
     .ignores = "high-water accept-batch",
     .knows = "",
     .sessions_stay = false,
     .counts_syscalls = false,
     .serve = serve_asio_shared},
};

}  // namespace

std::span<const Engine> engines() { return rows; }

const Engine* find_engine(std::string_view name) {
  const auto found = std::ranges::find(engines(), name, &Engine::name);
  return found == engines().end() ? nullptr : &*found;
}

std::string lacking(const Engine& engine) {
  return engine.lacking == nullptr ? "" : engine.lacking();
}

}  // namespace serverlab
