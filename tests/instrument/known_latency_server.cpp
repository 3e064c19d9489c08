// An echo server whose answers take a time that is known beforehand: the ruler is held against it.
//
// Usage: known_latency_server fixed|bimodal|exponential MEAN_MS [ARRIVALS_FILE]. It prints the
// `listening` event of serverlab-server. The k-th request, over all connections, is answered after
// F⁻¹(k·φ mod 1), where F is the distribution and φ the golden ratio: multiples of φ fill the unit
// interval as evenly as numbers can, so that a few thousand requests have the distribution's own
// percentiles, without the scatter of drawn ones. Into ARRIVALS_FILE goes the instant at which each
// request arrived, in ns.

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;
using Delay = double (*)(double share, double mean_ms);

double fixed(double, double mean_ms) { return mean_ms; }

// Nine in ten take half the mean, one in ten takes 5.5 times the mean.
double bimodal(double share, double mean_ms) { return share < 0.9 ? 0.5 * mean_ms : 5.5 * mean_ms; }

double exponential(double share, double mean_ms) { return -std::log1p(-share) * mean_ms; }

Delay delay_named(std::string_view name) {
  if (name == "fixed") return fixed;
  if (name == "bimodal") return bimodal;
  if (name == "exponential") return exponential;
  std::fprintf(stderr, "usage: known_latency_server fixed|bimodal|exponential MEAN_MS FILE\n");
  std::exit(2);
}

std::atomic<std::uint64_t> requests{0};
std::FILE* kept = nullptr;

void serve(int fd, Delay delay, double mean_ms) {
  constexpr double golden_ratio = 1.618033988749895;
  char buffer[4096];
  while (true) {
    const ssize_t got = ::recv(fd, buffer, sizeof buffer, 0);
    const auto arrived = Clock::now();
    if (got <= 0) break;
    const double place = static_cast<double>(requests++) * golden_ratio;
    const double delay_ms = delay(place - std::floor(place), mean_ms);
    std::this_thread::sleep_until(arrived + std::chrono::nanoseconds(std::llround(delay_ms * 1e6)));
    const auto released = Clock::now();
    std::fprintf(kept, "%lld %lld\n", static_cast<long long>(arrived.time_since_epoch().count()),
                 static_cast<long long>((released - arrived).count()));
    ::send(fd, buffer, static_cast<std::size_t>(got), MSG_NOSIGNAL);
  }
  ::close(fd);
}

}  // namespace

int main(int argc, char** argv) {
  const Delay delay = delay_named(argc == 4 ? argv[1] : "");
  const double mean_ms = std::atof(argv[2]);
  kept = std::fopen(argv[3], "w");
  std::setvbuf(kept, nullptr, _IOLBF, 4096);  // whole lines, whenever it is ended
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  ::setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) < 0) std::abort();
  if (::listen(listener, 1024) < 0) std::abort();
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  std::printf("{\"event\":\"listening\",\"address\":\"127.0.0.1:%d\"}\n", ntohs(address.sin_port));
  std::fflush(stdout);
  while (true) {
    const int fd = ::accept(listener, nullptr, nullptr);
    if (fd >= 0) std::thread(serve, fd, delay, mean_ms).detach();
  }
}
