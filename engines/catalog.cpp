#include "engines/catalog.h"

#include "net/ring.h"

#include <algorithm>

namespace serverlab {

using Serve = void(const ServeOptions&, const Service&, const StopSignal&);
Serve serve_threads, serve_poll, serve_poll_offload, serve_epoll_level, serve_asio_callbacks,
    serve_asio_shared, serve_asio_per_core, serve_asio_coroutines, serve_uring,
    serve_uring_multishot;

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
    {.name = "asio-per-core",
     .model = "N threads, each with an Asio io_context and an acceptor; the kernel deals clients",
     .neighbour = "asio-shared",
     .difference = "an io_context and an acceptor for each thread, not one for all",
     .ignores = "high-water accept-batch",
     .knows = "",
     .sessions_stay = true,
     .counts_syscalls = false,
     .serve = serve_asio_per_core},
    {.name = "asio-coroutines",
     .model = "one thread runs an Asio io_context; a coroutine for each connection",
     .neighbour = "asio-callbacks",
     .difference =
         "a connection is a coroutine that awaits each operation, not a chain of callbacks",
     .ignores = "threads high-water accept-batch",
     .knows = "",
     .sessions_stay = true,
     .counts_syscalls = false,
     .serve = serve_asio_coroutines},
    {.name = "uring",
     .model = "one thread waits at an io_uring for operations that the kernel has completed",
     .neighbour = "epoll-level",
     .difference = "told what has been done, a completion per operation, not what can be done",
     .ignores = "threads accept-batch",
     .knows = "uring-sqpoll",
     .sessions_stay = true,
     .counts_syscalls = true,
     .lacking = lacking_ring,
     .serve = serve_uring},
    {.name = "uring-multishot",
     .model = "one thread, one io_uring; accepts and receives stay armed and complete many times",
     .neighbour = "uring",
     .difference = "an accept and a receive are submitted once and complete many times",
     .ignores = "threads accept-batch",
     .knows = "uring-sqpoll",
     .sessions_stay = true,
     .counts_syscalls = true,
     .lacking = lacking_ring,
     .serve = serve_uring_multishot},
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
