#include "engines/serve_options.h"

#include <algorithm>

namespace serverlab {
namespace {

constexpr auto buffers = "Queues and buffers";
constexpr auto model = "The engine's model";
constexpr auto peers = "What a peer may keep";

constexpr Setting common[] = {
    {"listen", "HOST:PORT", "127.0.0.1:0", "where to listen; port 0 takes a free one",
     "What is served, where"},
    {"cpus", "CPUS", "", "run on these CPUs only, such as 0 or 0,2-3", "What is served, where"},
    {"threads", "COUNT", "0",
     "threads, or processes, of engines that have a fixed number; 0: one per CPU", model},
    {"backlog", "COUNT", "4096", "longest accept queue; the kernel clamps it to somaxconn",
     buffers},
    {"accept-batch", "COUNT", "64", "most connections accepted per wake-up", buffers},
    {"read-buffer", "SIZE", "64 KiB", "most bytes taken by one receive", buffers},
    {"high-water", "SIZE", "256 KiB", "unsent output above which a connection is not read",
     buffers},
    {"drain-limit", "DURATION", "5s",
     "time to drain after SIGTERM; connections still unanswered are then closed and counted",
     buffers},
    {"idle-timeout", "DURATION", "0s",
     "end a connection on which nothing comes and nothing is taken for so long; 0s: never", peers},
    {"request-timeout", "DURATION", "0s",
     "end a connection whose request has begun and is not whole after so long; 0s: never", peers},
    {"max-connections", "COUNT", "0",
     "connections open at a time; further ones wait in the accept queue; 0: any number", peers},
};

constexpr Setting of_single_engines[] = {
    {"poll-timeout", "DURATION", "0s",
     "how often to look for returned connections; 0: workers wake the loop", model},
    {"deal", "round-robin|least", "round-robin",
     "which loop gets a connection: the next, or that with the fewest", model},
    {"spin", "DURATION", "50us", "how long to ask for the next event before sleeping", model},
    {"queue", "fifo|lifo|priority", "fifo",
     "which waiting connection the pool takes first; priority: the service decides", model},
    {"queue-limit", "COUNT", "0", "waiting connections above which nothing is read; 0: no limit",
     model},
    {"jobs-per-request", "1|2", "1", "2: receiving and sending are two jobs of the pool", model},
    {"close-by", "thread|main", "thread",
     "main: a connection that has ended is closed when the next client wakes the main thread",
     model},
    {"uring-sqpoll", "on|off", "off", "a kernel thread takes submissions, without a system call",
     model},
};

QueueOrder queue_order(const std::string& name) {
  if (name == "lifo") return QueueOrder::lifo;
  return name == "priority" ? QueueOrder::priority : QueueOrder::fifo;
}

}  // namespace

std::span<const Setting> serve_settings() { return common; }

std::span<const Setting> engine_settings() { return of_single_engines; }

ServeOptions serve_options(const Settings& settings, int cpus) {
  using std::chrono::hours;
  constexpr int threads_max = 4096;
  constexpr int queue_max = 1 << 20;
  constexpr int connections_max = 1 << 30;
  constexpr std::uint64_t buffer_max = 1ULL << 30;
  const auto threads = static_cast<int>(settings.count("threads", 0, threads_max));
  return {
      .listen = Address::parse(settings.text("listen")),
      .listening = {.socket = socket_options(settings),
                    .backlog = static_cast<int>(settings.count("backlog", 1, queue_max)),
                    .share_port = false},
      .accept_batch = static_cast<int>(settings.count("accept-batch", 1, queue_max)),
      .read_buffer_bytes = settings.size("read-buffer", 1, buffer_max),
      .high_water_bytes = settings.size("high-water", 1, buffer_max),
      .drain_limit = settings.duration("drain-limit", Duration::zero(), hours(1)),
      .idle_timeout = settings.duration("idle-timeout", Duration::zero(), hours(24)),
      .request_timeout = settings.duration("request-timeout", Duration::zero(), hours(24)),
      .max_connections = static_cast<int>(settings.count("max-connections", 0, connections_max)),
      .threads = threads == 0 ? cpus : threads,
      .poll_timeout = settings.duration("poll-timeout", Duration::zero(), hours(1)),
      .deal = settings.text("deal") == "least" ? Deal::least : Deal::round_robin,
      .spin = settings.duration("spin", Duration::zero(), hours(1)),
      .queue = queue_order(settings.text("queue")),
      .queue_limit = static_cast<std::size_t>(settings.count("queue-limit", 0, queue_max)),
      .jobs_per_request = static_cast<int>(settings.count("jobs-per-request", 1, 2)),
      .close_by = settings.text("close-by") == "main" ? CloseBy::main : CloseBy::thread,
      .uring_sqpoll = settings.flag("uring-sqpoll"),
      .confine = [] {},
      .announce = [](const Address&) {},
      .notify = [](std::string_view) {},
  };
}

}  // namespace serverlab
