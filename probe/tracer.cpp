#include "probe/tracer.h"

#include "base/syscall.h"
#include "probe/symbols.h"

#include <algorithm>
#include <bpf/bpf.h>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <seccomp.h>
#include <sys/mman.h>
#include <system_error>
#include <utility>

// The object that clang has made of ledger.bpf.c: objects.S
extern "C" const char serverlab_ledger[];
extern "C" const std::uint64_t serverlab_ledger_bytes;

namespace serverlab {
namespace {

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
    case part_preemption: return "preemption";
    case part_probe: return "probe";
    default: return name_of_call(static_cast<int>(part) - part_first_syscall);
  }
}

bool has_counts(const LedgerPart& part) {
  return part.entries != 0 || part.cpu_ns != 0 || part.blocks != 0 || part.preemptions != 0;
}

}  // namespace

Tracer::Tracer(std::vector<int> servers) :
    servers_(std::move(servers)), part_({serverlab_ledger, serverlab_ledger_bytes}) {
  void* mapped = ::mmap(nullptr, sizeof(Ledger), PROT_READ, MAP_SHARED, part_.map("ledgers"), 0);
  if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  ledger_ = static_cast<Ledger*>(mapped);
}

Tracer::~Tracer() {
  detach();
  ::munmap(ledger_, sizeof(Ledger));
}

void Tracer::attach() {
  part_.take_servers(servers_);
  part_.attach();
}

void Tracer::sample(int samples_per_s) {
  part_.take_servers(servers_);
  part_.attach_to_clock("on_sample", samples_per_s);
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
  if (stack < 0 || ::bpf_map_lookup_elem(part_.map("stacks"), &stack, addresses.data()) != 0)
    return {};
  addresses.erase(std::ranges::find(addresses, 0U), addresses.end());
  std::ranges::reverse(addresses);
  return addresses;
}

std::vector<SampledStack> Tracer::stacks(std::size_t server) const {
  const KernelSymbols kernel;
  ProcessSymbols process(servers_[server]);
  std::vector<SampledStack> found;
  const int fd = part_.map("samples");
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
