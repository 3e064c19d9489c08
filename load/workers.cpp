#include "load/workers.h"

#include "base/resource.h"
#include "net/thread.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace serverlab {
namespace {

void fail(WorkerReport& report, const std::exception& error) {
  std::strncpy(report.failure, sentence_of(error), sizeof report.failure - 1);
  report.out_of = resource_of(error);
  report.done.store(true, std::memory_order_release);
}

}  // namespace

Workers::Workers(const LoadOptions& options) : options_(options) {
  for (std::uint32_t i = 0; i < options.workers(); ++i) {
    reports_.push_back(std::make_unique<Shared<WorkerReport>>());
  }
}

Workers::Workers(const LoadOptions& options, const Workload& workload,
                 std::span<const Segment> segments) :
    Workers(options) {
  if (options.processes == 1) {
    start_threads(0, workload, segments);
  } else {
    start_processes(workload, segments);
  }
}

Workers::~Workers() { abandon(); }

void Workers::start_threads(std::uint32_t first_worker, const Workload& workload,
                            std::span<const Segment> segments) {
  // A thread that has begun and has no place here would be joined at once, and never ends.
  threads_.reserve(static_cast<std::size_t>(options_.threads));
  for (int i = 0; i < options_.threads; ++i) {
    const std::uint32_t worker = first_worker + static_cast<std::uint32_t>(i);
    try {
      threads_.push_back(make_thread(
          [this, worker, &workload, segments] { run_worker(worker, workload, segments); }));
    } catch (const std::exception& error) {
      throw cannot_create_thread(i + 1, options_.threads, error);
    }
  }
}

void Workers::start_processes(const Workload& workload, std::span<const Segment> segments) {
  const pid_t conductor = ::getpid();
  processes_.reserve(static_cast<std::size_t>(options_.processes));
  for (int process = 0; process < options_.processes; ++process) {
    const pid_t child = ::fork();
    if (child < 0) {
      throw Shortage<>(Resource::threads,
                       fmt::format("cannot create process {} of {}: {}; ask for fewer with "
                                   "--processes, or allow the program more memory and processes "
                                   "(ulimit -u)",
                                   process + 1, options_.processes, std::strerror(errno)));
    }
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != conductor) ::_exit(1);  // it has ended before that was set
      run_process(static_cast<std::uint32_t>(process * options_.threads), workload, segments);
      ::_exit(0);  // what the parent has set up is the parent's to undo
    }
    processes_.push_back(child);
  }
}

void Workers::run_process(std::uint32_t first_worker, const Workload& workload,
                          std::span<const Segment> segments) {
  std::signal(SIGINT, SIG_IGN);  // the conductor hears it, and tells by the beat
  std::signal(SIGTERM, SIG_DFL);
  try {
    start_threads(first_worker, workload, segments);
  } catch (const std::exception& error) {
    // Of a worker that does not run, so that nothing else writes its report.
    fail(report(first_worker + static_cast<std::uint32_t>(threads_.size())), error);
  }
  threads_.clear();
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

bool Workers::all_done(std::uint32_t first_worker, std::uint32_t count) const {
  return std::ranges::all_of(std::span(reports_).subspan(first_worker, count),
                             [](const auto& report) { return (**report).done.load(); });
}

Instant Workers::finished_at() const {
  Instant last = Instant::min();
  for (const auto& report : reports_) last = std::max(last, (**report).finished_at.load());
  return last;
}

void Workers::rethrow_failure() const {
  for (const auto& report : reports_) {
    const WorkerReport& of = **report;
    if (!of.done || of.failure[0] == 0) continue;
    if (of.out_of) throw Shortage<>(*of.out_of, of.failure);
    throw std::runtime_error(of.failure);
  }
  const auto threads = static_cast<std::uint32_t>(options_.threads);
  for (std::uint32_t process = 0; process < processes_.size(); ++process) {
    siginfo_t ended{};
    const int flags = WEXITED | WNOHANG | WNOWAIT;
    if (::waitid(P_PID, static_cast<id_t>(processes_[process]), &ended, flags) < 0 ||
        ended.si_pid == 0)
      continue;
    if (!all_done(process * threads, threads)) {
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
