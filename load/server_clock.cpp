#include "load/server_clock.h"

#include <ctime>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace serverlab {
namespace {

// What the processes have used that this one has waited for: cutime and cstime of proc(5), the 16th
// and the 17th figure, in ticks. The clocks of processes that have ended are gone.
double ended_children_s(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text(std::istreambuf_iterator<char>(file), {});
  text.erase(0, text.rfind(')') + 1);  // the second one is a name, which may hold anything
  std::istringstream figures(text);
  std::string skipped;
  for (int number = 3; number < 16; ++number) figures >> skipped;
  double user = 0;
  double system = 0;
  figures >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

// CPU time of a process and of those that it has forked; nothing if it has ended.
std::optional<double> cpu_s(int pid) {
  clockid_t clock = 0;
  timespec time{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &time) != 0) return {};
  double total_s = static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  total_s += ended_children_s(pid);
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", pid));
  for (int child = 0; children >> child;) total_s += cpu_s(child).value_or(0);
  return total_s;
}

}  // namespace

double server_cpu_s(int pid) {
  const std::optional<double> found_s = cpu_s(pid);
  if (!found_s) {
    throw std::runtime_error(fmt::format("--server-pid: there is no process {}", pid));
  }
  return *found_s;
}

}  // namespace serverlab
