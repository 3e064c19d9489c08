#include "net/kernel_echo.h"

#include "base/counters.h"
#include "base/syscall.h"
#include "net/address.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <cstring>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <span>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

namespace serverlab {
namespace {

// The kernel's own error text does not say what is missing.
constexpr const char* not_allowed = "it wants CAP_BPF and CAP_NET_ADMIN, as root has";

OwnedFd make_map(bpf_map_type type, std::size_t key_bytes, std::size_t value_bytes,
                 std::size_t entries, unsigned flags = 0) {
  const bpf_map_create_opts options = {.sz = sizeof options, .map_flags = flags};
  return OwnedFd(check(
      ::bpf_map_create(type, "serverlab", static_cast<__u32>(key_bytes),
                       static_cast<__u32>(value_bytes), static_cast<__u32>(entries), &options),
      "bpf MAP_CREATE"));
}

OwnedFd load_program(std::span<const bpf_insn> code) {
  return OwnedFd(check(::bpf_prog_load(BPF_PROG_TYPE_SK_SKB, "serverlab_echo", "MIT", code.data(),
                                       code.size(), nullptr),
                       "bpf PROG_LOAD"));
}

// A notice takes 16 bytes with its header, a connection has at most one, and the size is to be a
// power of two, and whole pages.
std::size_t bytes_for_notices(std::size_t connections) {
  constexpr std::size_t notice_bytes = 16;
  constexpr std::size_t page_bytes = 4096;
  return std::bit_ceil(std::max(connections * notice_bytes, page_bytes));
}

/// @return its port, as the kernel shows it in 32 bits
std::uint32_t copy_address(const Address& address, std::span<std::uint32_t, 4> words) {
  if (address.family() == AF_INET) {
    const auto& ip4 = *reinterpret_cast<const sockaddr_in*>(address.raw());
    words[0] = ip4.sin_addr.s_addr;
    return htonl(ntohs(ip4.sin_port));
  }
  const auto& ip6 = *reinterpret_cast<const sockaddr_in6*>(address.raw());
  std::memcpy(words.data(), &ip6.sin6_addr, sizeof ip6.sin6_addr);
  return htonl(ntohs(ip6.sin6_port));
}

EchoKey key_of(int fd) {
  EchoKey key{};
  copy_address(Address::of_local(fd), key.local_ip);
  key.remote_port = copy_address(Address::of_peer(fd), key.remote_ip);
  return key;
}

tcp_info tcp_info_of(int fd) {
  tcp_info info{};
  socklen_t size = sizeof info;
  check(::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size), "getsockopt TCP_INFO");
  return info;
}

std::atomic_ref<std::uint64_t> shared(std::uint64_t& field) { return std::atomic_ref(field); }

int read_notice(void* notice, void* data, std::size_t) {
  std::uint64_t slot = 0;
  std::memcpy(&slot, data, sizeof slot);
  (*static_cast<std::function<void(int)>*>(notice))(static_cast<int>(slot));
  return 0;
}

}  // namespace

KernelEcho::KernelEcho(int limit, std::size_t notice_bytes, std::function<void(int)> notice) :
    notice_bytes_(notice_bytes),
    account_bytes_(static_cast<std::size_t>(limit) * sizeof(EchoAccount)),
    notice_(std::move(notice)),
    keys_(static_cast<std::size_t>(limit)),
    slots_(make_map(BPF_MAP_TYPE_HASH, sizeof(EchoKey), sizeof(__u32), keys_.size(),
                    BPF_F_NO_PREALLOC)),
    accounts_map_(make_map(BPF_MAP_TYPE_ARRAY, sizeof(__u32), sizeof(EchoAccount), keys_.size(),
                           BPF_F_MMAPABLE)),
    sockets_(make_map(BPF_MAP_TYPE_SOCKMAP, sizeof(__u32), sizeof(__u32), keys_.size())),
    notices_(make_map(BPF_MAP_TYPE_RINGBUF, 0, 0, bytes_for_notices(keys_.size()))),
    program_(load_program(verdict_program({.slots = slots_.get(),
                                           .accounts = accounts_map_.get(),
                                           .sockets = sockets_.get(),
                                           .notices = notices_.get()}))),
    reader_(nullptr, ::ring_buffer__free) {
  check(::bpf_prog_attach(program_.get(), sockets_.get(), BPF_SK_SKB_STREAM_VERDICT, 0),
        "bpf PROG_ATTACH");
  void* mapped =
      ::mmap(nullptr, account_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, accounts_map_.get(), 0);
  if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  accounts_ = static_cast<EchoAccount*>(mapped);
  ::libbpf_set_print(nullptr);  // it would say on stderr what is thrown here
  reader_.reset(::ring_buffer__new(notices_.get(), read_notice, &notice_, nullptr));
  if (!reader_) throw std::system_error(errno, std::generic_category(), "ring_buffer__new");
}

KernelEcho::~KernelEcho() {
  if (accounts_ != nullptr) ::munmap(accounts_, account_bytes_);
}

int KernelEcho::notices_fd() const { return ::ring_buffer__epoll_fd(reader_.get()); }

void KernelEcho::read_notices() { ::ring_buffer__consume(reader_.get()); }

bool KernelEcho::take(int fd) {
  account(fd) = {.notice_bytes = notice_bytes_};
  EchoKey& key = keys_[static_cast<std::size_t>(fd)];
  key = key_of(fd);
  check(::bpf_map_update_elem(slots_.get(), &key, &fd, BPF_ANY), "bpf MAP_UPDATE_ELEM");
  if (::bpf_map_update_elem(sockets_.get(), &fd, &fd, BPF_ANY) < 0) {
    ::bpf_map_delete_elem(slots_.get(), &key);
    return false;
  }
  // What has arrived already waits for the next chunk to call the program. To set SO_RCVLOWAT calls
  // it, too: tcp_set_rcvlowat in the kernel ends with telling that there is something to read.
  const int one = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof one);
  counters().changes += 3;
  return true;
}

std::uint64_t KernelEcho::kept_bytes(int fd) const {
  // Asked first, so that what comes meanwhile makes it more, not less.
  const std::uint64_t acknowledged = tcp_info_of(fd).tcpi_bytes_acked;
  return shared(account(fd).echoed_bytes).load() - acknowledged;
}

bool KernelEcho::is_settled(int fd) const {
  const tcp_info info = tcp_info_of(fd);
  int queued = 0;  // and not acknowledged; asked after, so that an acknowledgement makes it less
  check(::ioctl(fd, SIOCOUTQ, &queued), "ioctl SIOCOUTQ");
  const std::uint64_t given_to_send = info.tcpi_bytes_acked + static_cast<std::uint64_t>(queued);
  return given_to_send >= shared(account(fd).echoed_bytes).load() ||
         info.tcpi_state == BPF_TCP_CLOSE;
}

void KernelEcho::watch_again(int fd) {
  EchoAccount& of = account(fd);
  shared(of.notice_bytes).store(shared(of.echoed_bytes).load() + notice_bytes_);
  shared(of.is_noticed).store(0);
}

void KernelEcho::forget(int fd) {
  ::bpf_map_delete_elem(slots_.get(), &keys_[static_cast<std::size_t>(fd)]);
  ++counters().changes;
  counters().bytes_in += account(fd).echoed_bytes;
  counters().bytes_out += account(fd).echoed_bytes;
  counters().requests += account(fd).echoed_chunks;
}

std::string lacking_kernel_echo() {
  try {
    const KernelEcho probe(1, 0, [](int) {});
    return "";
  } catch (const std::system_error& error) {
    switch (error.code().value()) {
      case ENOSYS: return "its kernel has no eBPF";
      case EPERM: return not_allowed;
      case EINVAL: return "its kernel's eBPF is older than that of Linux 5.12";
      default: return error.what();
    }
  }
}

}  // namespace serverlab
