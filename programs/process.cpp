#include "programs/process.h"

#include "base/settings.h"
#include "base/syscall.h"
#include "programs/standard_streams.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/resource.h>

namespace serverlab {

std::uint64_t raise_descriptor_limit() {
  rlimit limit{};
  check(::getrlimit(RLIMIT_NOFILE, &limit), "getrlimit");
  limit.rlim_cur = limit.rlim_max;
  check(::setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
  return limit.rlim_cur;
}

int pin_to(const std::vector<int>& cpus) {
  cpu_set_t set;
  if (!cpus.empty()) {
    CPU_ZERO(&set);
    for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
    // The kernel refuses only if none of them exists, so what it granted is compared with what
    // was asked.
    const bool refused = ::sched_setaffinity(0, sizeof set, &set) < 0;
    check(::sched_getaffinity(0, sizeof set, &set), "sched_getaffinity");
    for (const int cpu : cpus) {
      if (refused || !CPU_ISSET(static_cast<std::size_t>(cpu), &set)) {
        throw Unsupported(fmt::format("--cpus: CPU {} of {} is not there or not allowed", cpu,
                                      fmt::join(cpus, ",")));
      }
    }
  }
  check(::sched_getaffinity(0, sizeof set, &set), "sched_getaffinity");
  return CPU_COUNT(&set);
}

std::string event_line(const Json& event) {
  return event.dump(-1, ' ', true, Json::error_handler_t::replace) + '\n';
}

void print_event(const Json& event) { print_out(event_line(event)); }

}  // namespace serverlab
