// An echo server whose capacity is known beforehand: searches are held against it.
//
// Usage: known_rate_server REQUESTS_PER_S. It prints the `listening` event of serverlab-server, and
// serves until it is killed. Requests of all connections stand in one queue. Each takes 1/R to
// serve, and is answered at an instant that arithmetic gives, not a clock: when the one before it
// was to be done, or when it came if that is later, plus 1/R. A thread that wakes up late
// is therefore late with an answer, but serves as many of them: R a second, and not one more.

#include "base/clock.h"
#include "net/listener.h"
#include "net/poll_set.h"
#include "net/stream.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <fmt/format.h>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace serverlab {
namespace {

class KnownRate {
 public:
  explicit KnownRate(double rate_per_s) : service_time_(from_seconds(1 / rate_per_s)) {
    waiting_.add(listener_.fd(), {.read = true});
  }

  [[noreturn]] void serve() {
    fmt::print("{{\"event\":\"listening\",\"address\":\"{}\"}}\n", listener_.address().to_string());
    std::fflush(stdout);
    while (true) {
      const Duration left = queue_.empty() ? wait_forever : queue_.front().due - now();
      const auto ready = waiting_.wait(queue_.empty() ? left : std::max(Duration::zero(), left));
      for (const Ready& one : ready) one.fd == listener_.fd() ? accept() : take(one.fd);
      answer();
    }
  }

 private:
  struct Request {
    Instant due;
    int fd;
    std::string content;
  };

  void accept() {
    Accepted accepted = listener_.accept(AcceptMode::nonblocking);
    if (accepted.status != Accepted::Status::connection) return;
    const int fd = accepted.socket.get();
    waiting_.add(fd, {.read = true});
    clients_.insert_or_assign(fd, std::move(accepted.socket));
  }

  // A request comes whole and its answer leaves whole: both are small, and there is one at a time.
  void take(int fd) {
    std::array<std::byte, 4096> buffer;
    const Transfer received = receive(fd, buffer);
    if (received.status == Transfer::Status::would_block) return;
    if (received.status != Transfer::Status::moved) return hang_up(fd);
    free_at_ = std::max(free_at_, now()) + service_time_;
    queue_.push_back({free_at_, fd, std::string(text_of(std::span(buffer).first(received.bytes)))});
  }

  void answer() {
    for (; !queue_.empty() && queue_.front().due <= now(); queue_.pop_front()) {
      const Request& request = queue_.front();
      const Transfer sent = send(request.fd, bytes_of(request.content));
      if (sent.status != Transfer::Status::moved) return hang_up(request.fd);
    }
  }

  void hang_up(int fd) {
    std::erase_if(queue_, [fd](const Request& request) { return request.fd == fd; });
    waiting_.remove(fd);
    clients_.erase(fd);
  }

  Duration service_time_;
  Listener listener_{Address::parse("127.0.0.1:0"), {}};
  PollSet waiting_;
  std::map<int, OwnedFd> clients_;
  std::deque<Request> queue_;  // by `due`, as no request overtakes another
  Instant free_at_;
};

}  // namespace
}  // namespace serverlab

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: known_rate_server REQUESTS_PER_S");
    serverlab::KnownRate(std::stod(argv[1])).serve();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
}
