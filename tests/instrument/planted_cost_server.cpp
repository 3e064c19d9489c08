// An echo server, a request of which costs what it costs and one thing more, of a size that is
// known: the ledger of `serverlab explain` is held against it.
//
// Usage: planted_cost_server PORT none|getppid|user|filter|wake|lock|long|slow. It serves until
// SIGTERM. At its end it says in a line on stdout how long its plant took in a request.
//
//   getppid  ten calls that do nothing
//   user     a microsecond of user mode
//   filter   a filter of system calls, which takes long to allow them
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
#include <cstddef>
#include <exception>
#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <map>
#include <pthread.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>
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
constexpr int filter_steps = 1500;
constexpr int wakes_each = 32;  // so many have their CPU time read at once

void sleep_while(Word& word, std::uint32_t value) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void wake(Word& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// From now on this thread comes to the CPU when another one sleeps, and not at once as it is woken.
void wait_for_turn() {
  const sched_param none{};
  check(::sched_setscheduler(0, SCHED_BATCH, &none), "sched_setscheduler");
}

void use_cpu(Duration time) {
  const Instant end = now() + time;
  while (now() < end) {
  }
}

Duration cpu_time(clockid_t clock) {
  ::timespec used{};
  check(::clock_gettime(clock, &used), "clock_gettime");
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// The CPU time that this thread uses meanwhile, and that of reading the clock.
template <typename Call>
Duration on_cpu(Call call) {
  const Duration before = cpu_time(CLOCK_THREAD_CPUTIME_ID);
  call();
  return cpu_time(CLOCK_THREAD_CPUTIME_ID) - before;
}

// How long it is off the CPU meanwhile, and what reading the clocks takes.
template <typename Call>
Duration off_cpu(Call call) {
  const Instant begin = now();
  const Duration used = on_cpu(call);
  return now() - begin - used;
}

// A filter that reads an argument of the call, so that the kernel asks it each time, and then
// multiplies.
void pass_long_filter() {
  constexpr std::uint32_t first_argument = offsetof(seccomp_data, args);
  std::vector<sock_filter> filter = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, first_argument)};
  filter.insert(filter.end(), filter_steps, BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, 3));
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program = {.len = static_cast<std::uint16_t>(filter.size()),
                              .filter = filter.data()};
  check(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl");
  check(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "prctl");
}

// What a call takes that does nothing.
Duration call_time() {
  constexpr int calls = 20'000;
  const Instant begin = now();
  for (int call = 0; call < calls; ++call) ::syscall(SYS_getppid);
  return (now() - begin) / calls;
}

// What a plant takes while the server serves, so that both that and the ledger are of the same
// minutes of the machine. The probe is attached for half of the time and makes calls longer. So
// each time comes with that of some calls, by which it is told whether the probe was there.
class PlantTimes {
 public:
  void add(Duration time, Duration of_calls) {
    if (times_.size() < times_.capacity()) times_.push_back({time, of_calls});
  }

  // The mean, as that of a ledger's part is one: a core that others use has more than one speed.
  Duration without_probe() {
    if (times_.empty()) return Duration::zero();
    const Duration calls_max = 2 * first_quartile(&Time::of_calls);
    std::erase_if(times_, [&](const Time& one) { return one.of_calls > calls_max; });
    const Duration time_max = 3 * first_quartile(&Time::time);  // others are off the CPU meanwhile
    std::erase_if(times_, [&](const Time& one) { return one.time > time_max; });
    Duration sum{};
    for (const Time& one : times_) sum += one.time;
    return sum / times_.size();
  }

  PlantTimes() { times_.reserve(4'000'000); }

 private:
  struct Time {
    Duration time;
    Duration of_calls;
  };

  Duration first_quartile(Duration Time::* which) {
    const auto quartile = times_.begin() + static_cast<std::ptrdiff_t>(times_.size() / 4);
    std::ranges::nth_element(times_, quartile, {}, which);
    return (*quartile).*which;
  }

  std::vector<Time> times_;
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
    if (plant_ != "filter") return;
    const Duration unfiltered = call_time();  // the probe is not there yet
    pass_long_filter();
    filtered_more_ = call_time() - unfiltered;
  }

  void serve() {
    while (!stop_.raised()) {
      ++calls_;
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
    Duration planted = times_.without_probe() + times_of_other_.without_probe();
    if (plant_ == "filter") planted = filtered_more_ * calls_ / std::max(requests_, INT64_C(1));
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
    calls_ += 2;
    ++requests_;
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
    const Duration took = now() - begin;
    times_.add(took, plant_ == "getppid" ? took : Duration::zero());
  }

  // To do nothing says what reading the clocks takes. The other thread reads none: one that has
  // just been woken finds little of that in the caches, and would take as long again.
  void wake_other() {
    asked_ = 1;
    const Duration clocks = on_cpu([] {});
    times_.add(on_cpu([this] { wake(asked_); }) - clocks, clocks);
    if (++served_ % wakes_each != 0) return;
    clockid_t clock_of_other{};
    ::pthread_getcpuclockid(other_.native_handle(), &clock_of_other);
    const Duration used = cpu_time(clock_of_other) - in_user_mode_.load();
    times_of_other_.add((used - std::exchange(used_by_other_, used)) / wakes_each, clocks);
  }

  // The other thread has the lock from the moment that it is asked.
  void wait_for_lock() {
    asked_ = 1;
    notify();
    released_ = now() + lock_time;
    const Duration waited = off_cpu([this] {
      while (asked_ == 1) sleep_while(asked_, 1);
    });
    times_.add(waited - off_cpu([] {}), on_cpu([] {}));
  }

  void notify() const {
    const std::uint64_t one = 1;
    check(::write(notified_.get(), &one, sizeof one), "write");
  }

  // The other thread, which does not preempt the first one: to switch at the end of a call would be
  // in no call.
  void be_woken() {
    wait_for_turn();
    while (true) {
      const Instant begin = now();
      std::uint32_t asked = asked_;
      if (asked == ended) return;
      if (asked != 0) asked_.compare_exchange_strong(asked, 0);
      in_user_mode_ = in_user_mode_.load() + (now() - begin);
      sleep_while(asked_, 0);
    }
  }

  // The other thread, so that only the lock is waited for in futex(2).
  void hold_lock() {
    wait_for_turn();
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
  std::int64_t requests_ = 0;
  std::int64_t calls_ = 0;    // of the system, for these
  Duration filtered_more_{};  // that one takes
  Word asked_ = 0;
  std::atomic<Instant> released_{};  // when the other thread gives the lock back
  PlantTimes times_;
  PlantTimes times_of_other_;             // of the other thread
  Duration used_by_other_{};              // in the kernel
  std::atomic<Duration> in_user_mode_{};  // the other thread
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
