#include "programs/call_filter.h"

#include <cerrno>
#include <cstdint>
#include <memory>
#include <sched.h>
#include <seccomp.h>
#include <sys/socket.h>

namespace serverlab {
namespace {

// For all arguments. What the sanitizers and the engines call is not among them.
constexpr int foreign_calls[] = {
    // A program in the place of this one, or a way to somewhere else.
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(connect), SCMP_SYS(socket), SCMP_SYS(socketpair),
    // The memory of others, and descriptors that they have open.
    SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(process_madvise),
    SCMP_SYS(pidfd_getfd), SCMP_SYS(perf_event_open),
    // Owners and modes of files, which Landlock does not restrict.
    SCMP_SYS(chmod), SCMP_SYS(fchmodat), SCMP_SYS(chown), SCMP_SYS(lchown), SCMP_SYS(fchownat),
    SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(removexattr), SCMP_SYS(lremovexattr),
    SCMP_SYS(truncate),
    // The kernel, and its keys.
    SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load), SCMP_SYS(userfaultfd), SCMP_SYS(add_key), SCMP_SYS(keyctl),
    SCMP_SYS(request_key),
    // Another view of files, hosts and users.
    SCMP_SYS(mount), SCMP_SYS(umount2), SCMP_SYS(move_mount), SCMP_SYS(fsopen), SCMP_SYS(open_tree),
    SCMP_SYS(pivot_root), SCMP_SYS(chroot), SCMP_SYS(open_by_handle_at), SCMP_SYS(unshare),
    SCMP_SYS(setns),
    // The machine.
    SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff), SCMP_SYS(sethostname),
    SCMP_SYS(clock_settime), SCMP_SYS(settimeofday), SCMP_SYS(io_uring_setup)};

// Flags by which clone(2) makes another view. CLONE_NEWTIME is none of them: there it is a part of
// the signal's number.
constexpr scmp_datum_t view_flags[] = {CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                       CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

class Filter {
 public:
  void refuse(int call) { refuse_with(EPERM, call); }
  void refuse_with(int error, int call) {
    ::seccomp_rule_add(filter_.get(), SCMP_ACT_ERRNO(error), call, 0);
  }
  void refuse_flag(int call, unsigned argument, scmp_datum_t flag) {
    refuse_if(call, {.arg = argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = flag, .datum_b = flag});
  }
  void refuse_if(int call, scmp_arg_cmp condition) {
    ::seccomp_rule_add_array(filter_.get(), SCMP_ACT_ERRNO(EPERM), call, 1, &condition);
  }

  /// For all threads of the process.
  bool load() {
    if (!filter_) return false;
    ::seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_TSYNC, 1);
    ::seccomp_attr_set(filter_.get(), SCMP_FLTATR_CTL_OPTIMIZE, as_binary_tree);
    return ::seccomp_load(filter_.get()) == 0;
  }

 private:
  static constexpr std::uint32_t as_binary_tree = 2;

  std::unique_ptr<void, decltype(&::seccomp_release)> filter_{::seccomp_init(SCMP_ACT_ALLOW),
                                                              ::seccomp_release};
};

}  // namespace

bool filter_calls(NeededCalls needed) {
  Filter filter;
  for (const int call : foreign_calls) filter.refuse(call);
  if (!needed.bpf) filter.refuse(SCMP_SYS(bpf));
  if (!needed.ring) {
    filter.refuse(SCMP_SYS(io_uring_enter));
    filter.refuse(SCMP_SYS(io_uring_register));
  }
  // The leak checker traces the threads of its own process.
  if (SERVERLAB_SANITIZERS[0] == '\0') filter.refuse(SCMP_SYS(ptrace));
  filter.refuse_if(SCMP_SYS(prlimit64), {.arg = 0, .op = SCMP_CMP_NE, .datum_a = 0, .datum_b = 0});
  // A connection that is made by sending.
  filter.refuse_flag(SCMP_SYS(sendto), 3, MSG_FASTOPEN);
  filter.refuse_flag(SCMP_SYS(sendmsg), 2, MSG_FASTOPEN);
  filter.refuse_flag(SCMP_SYS(sendmmsg), 3, MSG_FASTOPEN);
  for (const scmp_datum_t flag : view_flags) filter.refuse_flag(SCMP_SYS(clone), 0, flag);
  // Its flags are in memory, where no filter looks. The C library then calls clone.
  filter.refuse_with(ENOSYS, SCMP_SYS(clone3));
  return filter.load();
}

}  // namespace serverlab
