#include "load/idle_clock.h"

#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <sched.h>
#include <string>
#include <unistd.h>

namespace serverlab {
namespace {

namespace fs = std::filesystem;

void add_affinity(cpu_set_t& cpus, int pid) {
  cpu_set_t own;
  CPU_ZERO(&own);
  if (::sched_getaffinity(pid, sizeof own, &own) == 0) CPU_OR(&cpus, &cpus, &own);
}

// Microseconds; none if it cannot be read.
std::optional<std::uint64_t> read_us(int fd) {
  char text[32];
  const ssize_t got = ::pread(fd, text, sizeof text, 0);
  std::uint64_t us = 0;
  if (got <= 0 || std::from_chars(text, text + got, us).ec != std::errc{}) return std::nullopt;
  return us;
}

}  // namespace

IdleClock::IdleClock(std::span<const int> pids) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  add_affinity(cpus, 0);
  for (const int pid : pids) add_affinity(cpus, pid);
  cpus_ = static_cast<std::size_t>(CPU_COUNT(&cpus));
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &cpus)) continue;
    const fs::path folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cpuidle";
    std::error_code missing;
    for (const fs::directory_entry& state : fs::directory_iterator(folder, missing)) {
      OwnedFd file(::open((state.path() / "time").c_str(), O_RDONLY | O_CLOEXEC));
      if (file.get() >= 0) states_.push_back(std::move(file));
    }
    if (missing) {
      states_.clear();
      return;
    }
  }
}

std::optional<double> IdleClock::idle_s() const {
  if (states_.empty()) return std::nullopt;
  std::uint64_t total_us = 0;
  for (const OwnedFd& state : states_) {
    const std::optional<std::uint64_t> us = read_us(state.get());
    if (!us) return std::nullopt;
    total_us += *us;
  }
  return 1e-6 * static_cast<double>(total_us);
}

}  // namespace serverlab
