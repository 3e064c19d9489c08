#include "probe/tracer.h"

#include "base/owned_fd.h"
#include "base/settings.h"
#include "base/syscall.h"
#include "probe/symbols.h"

#include <algorithm>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <linux/perf_event.h>
#include <seccomp.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

// The object that clang has made of ledger.bpf.c: ledger_object.S
extern "C" const char serverlab_ledger[];
extern "C" const std::uint64_t serverlab_ledger_bytes;

namespace serverlab {
namespace {

constexpr const char* not_allowed =
    "the probe wants CAP_BPF and CAP_PERFMON, as root has, and a kernel with BTF";

bpf_object* loaded_object() {
  // What libbpf would say of a refusal is the verifier's log, of thousands of lines.
  ::libbpf_set_print(nullptr);
  const bpf_object_open_opts options = {.sz = sizeof options, .object_name = "serverlab"};
  bpf_object* object = ::bpf_object__open_mem(serverlab_ledger, serverlab_ledger_bytes, &options);
  if (object != nullptr && ::bpf_object__load(object) == 0) return object;
  const std::string why = std::strerror(errno);
  ::bpf_object__close(object);
  throw Unsupported(fmt::format("bpf PROG_LOAD: {}: {}", why, not_allowed));
}

std::string name_of_call(int number) {
  const std::unique_ptr<char, void (*)(void*)> name(
      ::seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number), ::free);
  return name ? std::string(name.get()) : fmt::format("call {}", number);
}

std::string name_of(std::size_t part) {
  switch (part) {
    case part_user: return "user";
    case part_softirq: return "softirq";
    case part_kernel_thread: return "kernel thread";
    default: return name_of_call(static_cast<int>(part) - part_first_syscall);
  }
}

bool has_counts(const LedgerPart& part) {
  return part.entries != 0 || part.cpu_ns != 0 || part.blocks != 0 || part.preemptions != 0;
}

}  // namespace

Tracer::Tracer(std::vector<int> servers) :
    servers_(std::move(servers)), object_(loaded_object(), ::bpf_object__close) {
  void* mapped = ::mmap(nullptr, sizeof(Ledger), PROT_READ, MAP_SHARED, map("ledgers"), 0);
  if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  ledger_ = static_cast<Ledger*>(mapped);
}

Tracer::~Tracer() {
  detach();
  ::munmap(ledger_, sizeof(Ledger));
}

int Tracer::map(const char* name) const {
  return check(::bpf_object__find_map_fd_by_name(object_.get(), name), "bpf map");
}

// Threads that have ended while nothing was attached would stay for ever, and others have moved on.
void Tracer::forget(const char* map_name) const {
  const int fd = map(map_name);
  for (std::uint32_t key = 0; ::bpf_map_get_next_key(fd, nullptr, &key) == 0;)
    check(::bpf_map_delete_elem(fd, &key), "bpf MAP_DELETE_ELEM");
}

void Tracer::take_processes(std::uint32_t subject, int pid) const {
  check(::bpf_map_update_elem(map("subjects"), &pid, &subject, BPF_ANY), "bpf MAP_UPDATE_ELEM");
  std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", pid));
  for (int child = 0; children >> child;) take_processes(subject, child);
}

// Whose threads are to be followed, as it is now.
void Tracer::take_servers() const {
  forget("threads");
  forget("subjects");
  for (std::uint32_t subject = 0; subject < servers_.size(); ++subject) {
    if (!std::ifstream(fmt::format("/proc/{}/stat", servers_[subject])))
      throw std::runtime_error(fmt::format("--pid: there is no process {}", servers_[subject]));
    take_processes(subject, servers_[subject]);
  }
}

void Tracer::attach() {
  take_servers();
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

void Tracer::sample(int samples_per_s) {
  take_servers();
  bpf_program* program = ::bpf_object__find_program_by_name(object_.get(), "on_sample");
  perf_event_attr clock{};
  clock.type = PERF_TYPE_SOFTWARE;
  clock.size = sizeof clock;
  clock.config = PERF_COUNT_SW_CPU_CLOCK;
  clock.freq = 1;
  clock.sample_freq = static_cast<std::uint64_t>(samples_per_s);
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

void Tracer::detach() {
  for (bpf_link* link : std::exchange(links_, {})) ::bpf_link__destroy(link);
}

std::vector<NamedPart> Tracer::parts(std::size_t server) const {
  std::vector<NamedPart> found;
  for (std::size_t number = 0; number < parts_max; ++number) {
    const LedgerPart counts = part(server, number);
    if (has_counts(counts)) found.push_back({.name = name_of(number), .counts = counts});
  }
  return found;
}

LedgerPart Tracer::part(std::size_t server, std::size_t part) const {
  return ledger_->parts[server][part];
}

std::vector<std::uint64_t> Tracer::frames(std::int32_t stack) const {
  std::vector<std::uint64_t> addresses(frames_max);
  if (stack < 0 || ::bpf_map_lookup_elem(map("stacks"), &stack, addresses.data()) != 0) return {};
  addresses.erase(std::ranges::find(addresses, 0U), addresses.end());
  std::ranges::reverse(addresses);
  return addresses;
}

std::vector<SampledStack> Tracer::stacks(std::size_t server) const {
  const KernelSymbols kernel;
  ProcessSymbols process(servers_[server]);
  std::vector<SampledStack> found;
  const int fd = map("samples");
  StackKey key{};
  for (const StackKey* before = nullptr; ::bpf_map_get_next_key(fd, before, &key) == 0;
       before = &key) {
    if (key.subject != server) continue;
    SampledStack stack;
    check(::bpf_map_lookup_elem(fd, &key, &stack.samples), "bpf MAP_LOOKUP_ELEM");
    for (const std::uint64_t address : frames(key.user))
      stack.frames.push_back(process.name(address));
    for (const std::uint64_t address : frames(key.kernel))
      stack.frames.push_back(kernel.name(address));
    found.push_back(std::move(stack));
  }
  return found;
}

std::uint64_t Tracer::threads_lost() const { return ledger_->threads_lost; }

}  // namespace serverlab
