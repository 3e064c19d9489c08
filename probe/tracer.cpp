#include "probe/tracer.h"

#include "base/settings.h"
#include "base/syscall.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <seccomp.h>
#include <stdexcept>
#include <sys/mman.h>
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

void Tracer::attach() {
  forget("threads");
  forget("subjects");
  for (std::uint32_t subject = 0; subject < servers_.size(); ++subject) {
    if (!std::ifstream(fmt::format("/proc/{}/stat", servers_[subject])))
      throw std::runtime_error(fmt::format("--pid: there is no process {}", servers_[subject]));
    take_processes(subject, servers_[subject]);
  }
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object_.get()) {
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

std::uint64_t Tracer::threads_lost() const { return ledger_->threads_lost; }

}  // namespace serverlab
