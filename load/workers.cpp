#include "load/workers.h"

#include "net/thread.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace serverlab {
namespace {

void fail(WorkerReport& report, const std::exception& error) {
  std::strncpy(report.failure, error.what(), sizeof report.failure - 1);
  report.done.store(true, std::memory_order_release);
}

}  // namespace

Workers::Workers(const LoadOptions& options, const Workload& workload,
                 std::span<const Segment> segments) :
    options_(options) {
  for (std::uint32_t i = 0; i < options.workers(); ++i) {
    reports_.push_back(std::make_unique<Shared<WorkerReport>>());
  }
  if (options.processes == 1) {
    for (int i = 0; i < options.threads; ++i) {
      threads_.push_back(make_thread([this, i, &workload, segments] {
        run_worker(static_cast<std::uint32_t>(i), workload, segments);
      }));
    }
    return;
  }
  const pid_t conductor = ::getpid();
  for (int process = 0; process < options.processes; ++process) {
    const pid_t child = ::fork();
    if (child < 0) {
      const int error = errno;
      abandon();
      throw std::system_error(error, std::generic_category(), "fork");
    }
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != conductor) ::_exit(1);  // it has ended before that was set
      run_process(process, workload, segments);
      ::_exit(0);  // what the parent has set up is the parent's to undo
    }
    processes_.push_back(child);
  }
}

Workers::~Workers() { abandon(); }

void Workers::run_process(int process, const Workload& workload,
                          std::span<const Segment> segments) {
  std::signal(SIGINT, SIG_IGN);  // the conductor hears it, and tells by the beat
  std::signal(SIGTERM, SIG_DFL);
  std::vector<std::jthread> threads;
  for (int i = 0; i < options_.threads; ++i) {
    const auto worker = static_cast<std::uint32_t>(process * options_.threads + i);
    try {
      threads.push_back(make_thread(
          [this, worker, &workload, segments] { run_worker(worker, workload, segments); }));
    } catch (const std::exception& error) {
      fail(report(worker), error);
    }
  }
}

void Workers::run_worker(std::uint32_t worker, const Workload& workload,
                         std::span<const Segment> segments) {
  WorkerReport& report = this->report(worker);
  try {
    Worker(options_, workload, segments, options_.share(worker), *beat_, report).run();
  } catch (const std::exception& error) {
    fail(report, error);
  }
}

std::uint32_t Workers::established() const {
  std::uint32_t sum = 0;
  for (const auto& report : reports_) sum += (**report).established;
  return sum;
}

bool Workers::accepted() const {
  return std::ranges::any_of(reports_,
                             [](const auto& report) { return (**report).accepted.load(); });
}

bool Workers::all_await(std::uint32_t segment) const {
  return std::ranges::all_of(reports_, [segment](const auto& report) {
    return (**report).segments_awaited > segment || (**report).done;
  });
}

bool Workers::all_done() const {
  return std::ranges::all_of(reports_, [](const auto& report) { return (**report).done.load(); });
}

Instant Workers::finished_at() const {
  Instant last = Instant::min();
  for (const auto& report : reports_) last = std::max(last, (**report).finished_at.load());
  return last;
}

void Workers::rethrow_failure() const {
  for (const auto& report : reports_) {
    if ((**report).done && (**report).failure[0] != 0) {
      throw std::runtime_error((**report).failure);
    }
  }
  for (const pid_t process : processes_) {
    siginfo_t ended{};
    const int flags = WEXITED | WNOHANG | WNOWAIT;
    if (::waitid(P_PID, static_cast<id_t>(process), &ended, flags) < 0 || ended.si_pid == 0)
      continue;
    if (ended.si_code != CLD_EXITED) {
      throw std::runtime_error("a process of the generator was killed");
    }
  }
}

void Workers::abandon() {
  beat_->abort = true;
  for (const auto& report : reports_) (**report).abandoned = true;
  threads_.clear();
  for (const pid_t process : processes_) ::waitpid(process, nullptr, 0);
  processes_.clear();
}

}  // namespace serverlab
