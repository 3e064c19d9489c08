// An echo server whose answers take a time that is known beforehand: the ruler is held against it.
//
// Usage: known_latency_server fixed|bimodal|exponential MEAN_MS FILE. It prints the `listening`
// event of serverlab-server, and serves until it is killed. The k-th request, over all connections,
// is answered after F⁻¹(k·φ mod 1), where F is the distribution and φ the golden ratio: multiples
// of φ fill the unit interval as evenly as numbers can, so that a few thousand requests have the
// distribution's own percentiles, without the scatter of drawn ones. Into FILE goes a line a
// request: the instant at which it arrived and how long it was really kept, in ns.

#include "base/clock.h"
#include "net/listener.h"
#include "net/poll_set.h"
#include "net/stream.h"

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <fstream>
#include <mutex>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace serverlab {
namespace {

/// F⁻¹ of a distribution whose mean is 1.
using Quantile = double (*)(double share);

double fixed(double) { return 1; }

// Nine in ten take half the mean, one in ten takes 5.5 times the mean.
double bimodal(double share) { return share < 0.9 ? 0.5 : 5.5; }

double exponential(double share) { return -std::log1p(-share); }

Quantile quantile_named(std::string_view name) {
  if (name == "fixed") return fixed;
  if (name == "bimodal") return bimodal;
  if (name == "exponential") return exponential;
  throw std::runtime_error("usage: known_latency_server fixed|bimodal|exponential MEAN_MS FILE");
}

/// When requests arrived, and how long they were kept. Any thread.
class Journal {
 public:
  explicit Journal(const std::string& path) : file_(path) {
    if (!file_) throw std::runtime_error(path + " cannot be written");
  }

  /// Writes a whole line at once, as the server may be killed at any time.
  void note(Instant arrived, Duration kept) {
    const std::scoped_lock lock(mutex_);
    file_ << fmt::format("{} {}\n", arrived.time_since_epoch().count(), kept.count()) << std::flush;
  }

 private:
  std::mutex mutex_;
  std::ofstream file_;  // guarded by mutex_
};

class KnownLatency {
 public:
  KnownLatency(Quantile quantile, Duration mean, Journal& journal) :
      quantile_(quantile), mean_(mean), journal_(journal) {}

  /// Echoes until the peer ends. A request comes whole and its answer leaves whole: both are small.
  void serve(const OwnedFd& socket) {
    std::array<std::byte, 4096> buffer;
    while (true) {
      const Transfer received = receive(socket.get(), buffer);
      const Instant arrived = now();
      if (received.status != Transfer::Status::moved) return;
      std::this_thread::sleep_until(arrived + next_delay());
      journal_.note(arrived, now() - arrived);
      const Transfer sent = send(socket.get(), std::span(buffer).first(received.bytes));
      if (sent.status != Transfer::Status::moved) return;
    }
  }

 private:
  Duration next_delay() {
    const double place = static_cast<double>(requests_++) * std::numbers::phi;
    return from_seconds(quantile_(place - std::floor(place)) * seconds(mean_));
  }

  Quantile quantile_;
  Duration mean_;
  Journal& journal_;
  std::atomic<std::uint64_t> requests_{0};
};

[[noreturn]] void serve_all(KnownLatency& server) {
  const Listener listener(Address::parse("127.0.0.1:0"), {});
  PollSet waiting;
  waiting.add(listener.fd(), {.read = true});
  std::vector<std::jthread> threads;
  fmt::print("{{\"event\":\"listening\",\"address\":\"{}\"}}\n", listener.address().to_string());
  std::fflush(stdout);
  while (true) {
    waiting.wait(wait_forever);
    Accepted accepted = listener.accept(AcceptMode::blocking);
    if (accepted.status != Accepted::Status::connection) continue;
    threads.emplace_back([&server, socket = std::move(accepted.socket)] { server.serve(socket); });
  }
}

}  // namespace
}  // namespace serverlab

int main(int argc, char** argv) {
  try {
    const auto quantile = serverlab::quantile_named(argc == 4 ? argv[1] : "");
    serverlab::Journal journal(argv[3]);
    serverlab::KnownLatency server(quantile, serverlab::from_seconds(std::stod(argv[2]) / 1000),
                                   journal);
    serverlab::serve_all(server);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
}
