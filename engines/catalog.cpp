#include "engines/catalog.h"

#include <algorithm>

namespace serverlab {

using Serve = void(const ServeOptions&, const Service&, const StopSignal&);
Serve serve_threads, serve_thread_pool, serve_processes, serve_poll, serve_poll_offload,
    serve_epoll_level, serve_epoll_offload, serve_epoll_spawn, serve_epoll_adaptive,
    serve_asio_callbacks, serve_asio_shared;

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
    {.name = "thread-pool",
     .model = "N threads block in accept on one listener; each serves its connection to the end",
     .neighbour = "threads",
     .difference = "a fixed number of threads, of which each accepts for itself",
     .ignores = "high-water accept-batch",
     .knows = "",
     .sessions_stay = false,
     .counts_syscalls = true,
     .connection_each = true,
     .cannot = "serve more connections at a time than it has threads",
     .serve = serve_thread_pool},
    {.name = "processes",
     .model = "N forked processes block in accept; each serves its connection to the end",
     .neighbour = "thread-pool",
     .difference = "processes with a memory of their own, not threads that share one",
     .ignores = "high-water accept-batch",
     .knows = "",
     .sessions_stay = true,
     .counts_syscalls = true,
     .one_process = false,
     .connection_each = true,
     .cannot = "serve more connections at a time than it has processes, or what they share",
     .serve = serve_processes},
    {.name = "poll",
     .model = "one thread waits in poll for all connections and runs their sessions",
     .neighbour = "threads",
     .difference = "one thread waits for all connections, not each for its own",
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
     .knows = "poll-timeout queue queue-limit jobs-per-request",
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
    {.name = "epoll-offload",
     .model = "one thread waits in epoll; a pool receives, runs the session, sends and arms again",
     .neighbour = "poll-offload",
     .difference = "the kernel keeps the set; who has served a connection puts it back",
     .ignores = "",
     .knows = "queue queue-limit jobs-per-request",
     .sessions_stay = false,
     .counts_syscalls = true,
     .serve = serve_epoll_offload},
    {.name = "epoll-spawn",
     .model = "one thread waits in epoll; a new thread receives, runs the session, sends and ends",
     .neighbour = "epoll-offload",
     .difference =
         "a thread is made for each turn, at most N at a time, not a pool of N before all",
     .ignores = "",
     .knows = "",
     .sessions_stay = false,
     .counts_syscalls = true,
     .serve = serve_epoll_spawn},
    {.name = "epoll-adaptive",
     .model = "one thread waits in epoll and runs cheap sessions itself; a pool runs the dear ones",
     .neighbour = "epoll-offload",
     .difference = "what turns out to be cheap is run by the thread that waits",
     .ignores = "",
     .knows = "queue queue-limit",
     .sessions_stay = false,
     .counts_syscalls = true,
     .serve = serve_epoll_adaptive},
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
