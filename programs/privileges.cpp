#include "programs/privileges.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <linux/capability.h>
#include <memory>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace serverlab {
namespace {

std::uint64_t mask_of(Capabilities kept) {
  const auto bit = [](int capability) { return std::uint64_t{1} << capability; };
  if (kept == Capabilities::none) return 0;
  const std::uint64_t listening = bit(CAP_NET_BIND_SERVICE) | bit(CAP_NET_ADMIN);
  return kept == Capabilities::to_listen ? listening
                                         : listening | bit(CAP_BPF) | bit(CAP_SYS_ADMIN);
}

// What the sanitizers and the engines call is not among them, ptrace of the leak checker included.
constexpr int foreign_calls[] = {
    // A program in the place of this one, or a connection to somewhere else.
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(connect),
    // The memory of others, and descriptors that they have open.
    SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_getfd),
    SCMP_SYS(perf_event_open),
    // The kernel, and its keys.
    SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load), SCMP_SYS(userfaultfd), SCMP_SYS(add_key), SCMP_SYS(keyctl),
    SCMP_SYS(request_key),
    // Another view of files, hosts and users.
    SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot),
    SCMP_SYS(open_by_handle_at), SCMP_SYS(unshare), SCMP_SYS(setns),
    // The machine.
    SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(sethostname),
    SCMP_SYS(clock_settime), SCMP_SYS(settimeofday)};

}  // namespace

// Whatever cannot be given up is not there, or stays: no call can leave more than was there.
void keep_capabilities(Capabilities kept) {
  const std::uint64_t mask = mask_of(kept);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> had{};
  if (::syscall(SYS_capget, &header, had.data()) < 0) return;
  for (std::size_t word = 0; word < had.size(); ++word) {
    const auto left = static_cast<std::uint32_t>(mask >> (32 * word)) & had[word].permitted;
    had[word] = {.effective = left, .permitted = left, .inheritable = 0};
  }
  ::syscall(SYS_capset, &header, had.data());
}

void forbid_foreign_calls(Capabilities kept) {
  const std::unique_ptr<void, decltype(&::seccomp_release)> filter(::seccomp_init(SCMP_ACT_ALLOW),
                                                                   ::seccomp_release);
  if (!filter) return;
  const auto forbid = [&](int call) {
    ::seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(EPERM), call, 0);
  };
  for (const int call : foreign_calls) forbid(call);
  if (kept != Capabilities::to_echo_in_kernel) forbid(SCMP_SYS(bpf));
  ::seccomp_load(filter.get());
}

}  // namespace serverlab
