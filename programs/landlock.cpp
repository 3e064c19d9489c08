#include "programs/landlock.h"

#include "base/owned_fd.h"

#include <array>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace serverlab {
namespace {

// Of include/uapi/linux/landlock.h in Linux 6.12; Debian 12 has that of 6.1, without the last two
// fields, and a kernel refuses fields that it does not know unless they are zero.
struct Ruleset {
  std::uint64_t handled_access_fs;
  std::uint64_t handled_access_net;
  std::uint64_t scoped;
};

struct [[gnu::packed]] PathBeneath {
  std::uint64_t allowed_access;
  std::int32_t parent_fd;
};

constexpr std::uint32_t flag_version = 1U << 0;     // LANDLOCK_CREATE_RULESET_VERSION
constexpr int rule_path_beneath = 1;                // LANDLOCK_RULE_PATH_BENEATH
constexpr std::uint64_t read_file = 1U << 2;        // LANDLOCK_ACCESS_FS_READ_FILE
constexpr std::uint64_t read_folder = 1U << 3;      // LANDLOCK_ACCESS_FS_READ_DIR
constexpr std::uint64_t connect_tcp = 1U << 1;      // LANDLOCK_ACCESS_NET_CONNECT_TCP
constexpr std::uint64_t abstract_socket = 1U << 0;  // LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
constexpr std::uint64_t signal = 1U << 1;           // LANDLOCK_SCOPE_SIGNAL

// The ABI of which something is there, and the Linux that has it.
constexpr int abi_files = 1, abi_links = 2, abi_truncate = 3, abi_connect = 4, abi_devices = 5,
              abi_signals = 6;
constexpr const char* linux_of_abi_signals = "6.12";

// Whatever can be done with a file: the first bits of LANDLOCK_ACCESS_FS_*, ever more of them.
std::uint64_t all_of_files(int abi) {
  int bits = 13;
  for (const int with_another : {abi_links, abi_truncate, abi_devices})
    if (abi >= with_another) ++bits;
  return (1U << bits) - 1;
}

// A sanitizer looks at its own process when it ends.
void allow_procfs(int ruleset) {
  const OwnedFd procfs(::open("/proc", O_PATH | O_CLOEXEC));
  const PathBeneath rule = {.allowed_access = read_file | read_folder, .parent_fd = procfs.get()};
  ::syscall(SYS_landlock_add_rule, ruleset, rule_path_beneath, &rule, 0);
}

}  // namespace

int landlock_abi() {
  const long abi = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, flag_version);
  return abi < 0 ? 0 : static_cast<int>(abi);
}

void confine_by_landlock() {
  const int abi = landlock_abi();
  if (abi < abi_files) return;
  const Ruleset asked = {.handled_access_fs = all_of_files(abi),
                         .handled_access_net = abi >= abi_connect ? connect_tcp : 0,
                         .scoped = abi >= abi_signals ? abstract_socket | signal : 0};
  const OwnedFd ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &asked, sizeof asked, 0)));
  if (!ruleset) return;
  if (SERVERLAB_SANITIZERS[0] != '\0') allow_procfs(ruleset.get());
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::syscall(SYS_landlock_restrict_self, ruleset.get(), 0);
}

std::string lacking_confinement(bool is_filtered) {
  const int abi = landlock_abi();
  std::vector<std::string_view> reached;
  if (abi < abi_files) {
    reached.emplace_back("open the files of its user");
    reached.emplace_back("read the memory of other processes");
    if (!is_filtered) reached.emplace_back("run programs");
  }
  if (abi < abi_connect && !is_filtered) reached.emplace_back("connect to other hosts");
  if (abi < abi_signals) reached.emplace_back("send signals to other processes");
  if (reached.empty()) return "";
  const std::string has = abi == 0 ? "no Landlock" : fmt::format("Landlock of ABI {}", abi);
  return fmt::format(
      "this kernel has {} (ABI {}, Linux {}, is wanted): a server that a peer has taken over can "
      "{}",
      has, abi_signals, linux_of_abi_signals, fmt::join(reached, ", and "));
}

}  // namespace serverlab
