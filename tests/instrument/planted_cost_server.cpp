// An echo server, a request of which costs what it costs and one thing more, of a size that is
// known: the ledger of `serverlab explain` is held against it.
//
// Usage: planted_cost_server PORT none|getppid|user|wake|lock|long|slow. It serves until SIGTERM.
// At its end it says in a line on stdout how long its plant took in a request.
//
//   getppid  ten calls that do nothing
//   user     a microsecond of user mode
//   long     100 us of it
//   slow     2 ms of it, in every fiftieth request
//   wake     another thread is woken, which sleeps in futex(2)
//   lock     another thread, which sleeps in read(2), gives a lock back 5 us after it is asked for

#include "base/clock.h"
#include "base/syscall.h"
#include "net/address.h"
#include "net/epoll.h"
#include "net/listener.h"
#include "net/stop_signal.h"
#include "net/stream.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <exception>
#include <fmt/format.h>
#include <linux/futex.h>
#include <map>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace serverlab {
namespace {

using Word = std::atomic<std::uint32_t>;

constexpr Duration user_time = std::chrono::microseconds(1);
constexpr Duration lock_time = std::chrono::microseconds(5);
constexpr Duration long_time = std::chrono::microseconds(100);
constexpr Duration slow_time = std::chrono::milliseconds(2);
constexpr int slow_each = 50;  // requests
constexpr int calls_planted = 10;

void sleep_while(Word& word, std::uint32_t value) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake(Word& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void use_cpu(Duration time) {
  const Instant end = now() + time;
  while (now() < end) {
  }
}

Duration cpu_time_of_thread() {
  ::timespec used{};
  check(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used), "clock_gettime");
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// The CPU time that this thread uses meanwhile, and that of reading the clock.
template <typename Call>
Duration on_cpu(Call call) {
  const Duration before = cpu_time_of_thread();
  call();
  return cpu_time_of_thread() - before;
}

// How long it is off the CPU meanwhile, and what reading the clocks takes.
template <typename Call>
Duration off_cpu(Call call) {
  const Instant begin = now();
  const Duration used = on_cpu(call);
  return now() - begin - used;
}

// What a plant takes while the server serves, so that both that and the ledger are of the same
// minutes of the machine. The probe is attached for half of the time and makes calls longer: half
// of the times are without it, and the middle one of those is the first quartile of all.
class PlantTimes {
 public:
  void add(Duration time) {
    if (times_.size() < times_.capacity()) times_.push_back(time);
  }

  Duration without_probe() {
    if (times_.empty()) return Duration::zero();
    const auto quartile = times_.begin() + static_cast<std::ptrdiff_t>(times_.size() / 4);
    std::ranges::nth_element(times_, quartile);
    return *quartile;
  }

  PlantTimes() { times_.reserve(4'000'000); }

 private:
  std::vector<Duration> times_;
};

class PlantedCost {
 public:
  PlantedCost(std::uint16_t port, std::string plant) :
      plant_(std::move(plant)), listener_(Address::parse(fmt::format("127.0.0.1:{}", port)), {}) {
    waiting_.add(listener_.fd(), {.read = true});
    waiting_.add(stop_.fd(), {.read = true});
    stop_.raise_on_termination();
    if (plant_ == "wake") other_ = std::thread([this] { be_woken(); });
    if (plant_ == "lock") other_ = std::thread([this] { hold_lock(); });
  }

  void serve() {
    while (!stop_.raised()) {
      for (const Ready& one : waiting_.wait(wait_forever)) {
        if (one.fd == listener_.fd()) {
          accept();
        } else if (one.fd != stop_.fd()) {
          answer(one.fd);
        }
      }
    }
    if (other_.joinable()) {
      asked_ = ended;
      wake(asked_);
      notify();
      other_.join();
    }
    const Duration planted = times_.without_probe() + times_of_other_.without_probe();
    fmt::print("planted {:.1f} ns a request\n", 1e9 * seconds(planted));
  }

 private:
  static constexpr std::uint32_t ended = 2;

  void accept() {
    Accepted accepted = listener_.accept(AcceptMode::nonblocking);
    if (accepted.status != Accepted::Status::connection) return;
    const int fd = accepted.socket.get();
    waiting_.add(fd, {.read = true});
    clients_.insert_or_assign(fd, std::move(accepted.socket));
  }

  void answer(int fd) {
    std::array<std::byte, 4096> buffer;
    const Transfer received = receive(fd, buffer);
    if (received.status == Transfer::Status::would_block) return;
    if (received.status == Transfer::Status::moved) {
      plant();
      const auto reply = std::span(buffer).first(received.bytes);
      if (send(fd, reply).status == Transfer::Status::moved) return;
    }
    waiting_.remove(fd);
    clients_.erase(fd);
  }

  // Each server times its plant, also the one without, so that timing costs them the same.
  void plant() {
    if (plant_ == "lock") return wait_for_lock();
    if (plant_ == "wake") return wake_other();
    const Instant begin = now();
    if (plant_ == "user") use_cpu(user_time);
    if (plant_ == "long") use_cpu(long_time);
    if (plant_ == "slow" && ++served_ % slow_each == 0) use_cpu(slow_time);
    if (plant_ == "getppid") {
      for (int call = 0; call < calls_planted; ++call) ::syscall(SYS_getppid);
    }
    times_.add(now() - begin);
  }

  // To do nothing says what reading the clocks takes.
  void wake_other() {
    asked_ = 1;
    times_.add(on_cpu([this] { wake(asked_); }) - on_cpu([] {}));
  }

  // The other thread has the lock from the moment that it is asked.
  void wait_for_lock() {
    asked_ = 1;
    notify();
    released_ = now() + lock_time;
    const Duration waited = off_cpu([this] {
      while (asked_ == 1) sleep_while(asked_, 1);
    });
    times_.add(waited - off_cpu([] {}));
  }

  void notify() const {
    const std::uint64_t one = 1;
    check(::write(notified_.get(), &one, sizeof one), "write");
  }

  // The other thread.
  void be_woken() {
    while (true) {
      std::uint32_t asked = asked_;
      for (; asked == 0; asked = asked_) {
        times_of_other_.add(on_cpu([this] { sleep_while(asked_, 0); }) - on_cpu([] {}));
      }
      if (asked == ended) return;
      asked_.compare_exchange_strong(asked, 0);
    }
  }

  // The other thread, so that only the lock is waited for in futex(2).
  void hold_lock() {
    // It comes to the CPU when the first thread sleeps, and not at once as it is woken.
    const sched_param none{};
    check(::sched_setscheduler(0, SCHED_BATCH, &none), "sched_setscheduler");
    while (true) {
      std::uint64_t count = 0;
      check(::read(notified_.get(), &count, sizeof count), "read");
      if (asked_ == ended) return;
      while (now() < released_.load()) {
      }
      std::uint32_t asked = 1;
      if (asked_.compare_exchange_strong(asked, 0)) wake(asked_);
    }
  }

  std::string plant_;
  Listener listener_;
  Epoll waiting_;
  StopSignal stop_;
  std::map<int, OwnedFd> clients_;
  std::int64_t served_ = 0;
  Word asked_ = 0;
  std::atomic<Instant> released_{};  // when the other thread gives the lock back
  PlantTimes times_;
  PlantTimes times_of_other_;  // of the other thread
  OwnedFd notified_{check(::eventfd(0, EFD_CLOEXEC), "eventfd")};
  std::thread other_;
};

}  // namespace
}  // namespace serverlab

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw std::runtime_error("usage: planted_cost_server PORT PLANT");
    const int port = std::stoi(argv[1]);
    serverlab::PlantedCost(static_cast<std::uint16_t>(port), argv[2]).serve();
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "planted_cost_server: {}\n", error.what());
    return 1;
  }
}
