#include "load/server_clock.h"

#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <stdexcept>

namespace serverlab {

double server_cpu_s(int pid) {
  clockid_t clock = 0;
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    throw std::runtime_error(fmt::format("--server-pid: there is no process {}", pid));
  }
  double total_s = static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", pid));
  for (int child = 0; children >> child;) total_s += server_cpu_s(child);
  return total_s;
}

}  // namespace serverlab
