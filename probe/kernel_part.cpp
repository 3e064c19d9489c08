#include "probe/kernel_part.h"

#include "base/owned_fd.h"
#include "base/settings.h"
#include "base/syscall.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <linux/perf_event.h>
#include <stdexcept>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace serverlab {
namespace {

constexpr const char* not_allowed =
    "the probe wants CAP_BPF and CAP_PERFMON, as root has, and a kernel with BTF";

bpf_object* loaded(std::span<const char> object_file) {
  // What libbpf would say of a refusal is the verifier's log, of thousands of lines.
  ::libbpf_set_print(nullptr);
  const bpf_object_open_opts options = {.sz = sizeof options, .object_name = "serverlab"};
  bpf_object* object = ::bpf_object__open_mem(object_file.data(), object_file.size(), &options);
  if (object != nullptr && ::bpf_object__load(object) == 0) return object;
  const std::string why = std::strerror(errno);
  ::bpf_object__close(object);
  throw Unsupported(fmt::format("bpf PROG_LOAD: {}: {}", why, not_allowed));
}

}  // namespace

KernelPart::KernelPart(std::span<const char> object) :
    object_(loaded(object), ::bpf_object__close) {}

KernelPart::~KernelPart() { detach(); }

void KernelPart::attach() {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
    if (::bpf_program__type(program) == BPF_PROG_TYPE_PERF_EVENT) continue;
    bpf_link* link = ::bpf_program__attach(program);
    if (link == nullptr) {
      const std::string why = std::strerror(errno);
      detach();
      throw Unsupported(
          fmt::format("{}: {}: {}", ::bpf_program__section_name(program), why, not_allowed));
    }
    links_.push_back(link);
  }
}

void KernelPart::attach_to_clock(const char* name, int times_per_s) {
  bpf_program* program = ::bpf_object__find_program_by_name(object_.get(), name);
  perf_event_attr clock{};
  clock.type = PERF_TYPE_SOFTWARE;
  clock.size = sizeof clock;
  clock.config = PERF_COUNT_SW_CPU_CLOCK;
  clock.freq = 1;
  clock.sample_freq = static_cast<std::uint64_t>(times_per_s);
  for (int cpu = 0; cpu < ::libbpf_num_possible_cpus(); ++cpu) {
    OwnedFd event(static_cast<int>(
        ::syscall(SYS_perf_event_open, &clock, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
    if (!event) continue;  // a CPU that is not there
    if (bpf_link* link = ::bpf_program__attach_perf_event(program, event.get())) {
      links_.push_back(link);
      static_cast<void>(event.release());  // the link closes it
    }
  }
  if (links_.empty())
    throw Unsupported(fmt::format("perf_event_open: {}: {}", std::strerror(errno), not_allowed));
}

void KernelPart::detach() {
  for (bpf_link* link : std::exchange(links_, {})) ::bpf_link__destroy(link);
}

int KernelPart::map(const char* name) const {
  return check(::bpf_object__find_map_fd_by_name(object_.get(), name), "bpf map");
}

void KernelPart::forget(const char* name) const {
  const int fd = map(name);
  for (std::uint32_t key = 0; ::bpf_map_get_next_key(fd, nullptr, &key) == 0;)
    check(::bpf_map_delete_elem(fd, &key), "bpf MAP_DELETE_ELEM");
}

void KernelPart::take_processes(std::uint32_t subject, int pid) const {
  check(::bpf_map_update_elem(map("subjects"), &pid, &subject, BPF_ANY), "bpf MAP_UPDATE_ELEM");
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", pid));
  for (int child = 0; children >> child;) take_processes(subject, child);
}

void KernelPart::take_servers(std::span<const int> servers) const {
  // Threads that have ended while nothing was attached would stay for ever.
  forget("threads");
  forget("subjects");
  for (std::uint32_t subject = 0; subject < servers.size(); ++subject) {
    if (!std::ifstream(fmt::format("/proc/{}/stat", servers[subject])))
      throw std::runtime_error(fmt::format("--pid: there is no process {}", servers[subject]));
    take_processes(subject, servers[subject]);
  }
}

}  // namespace serverlab
