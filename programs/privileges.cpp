#include "programs/privileges.h"

#include <array>
#include <cstdint>
#include <linux/capability.h>
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

}  // namespace serverlab
