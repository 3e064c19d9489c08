#pragma once

// Connections that the kernel echoes by itself: what arrives on a socket in a sockmap is sent back
// on it by an eBPF program, and no thread is woken.
//
// Redirecting has no back-pressure: the kernel keeps whatever a peer sends and does not read back.
// So there is a notice each time that a connection has been sent a certain number of further bytes.
// The server then checks how much the kernel keeps for it, and may close it. (To let the program
// pass what is too much, to be received and sent as ever, was tried: Linux 6.18 then loses the rest
// of a stream.)
//
// Wants Linux 5.12, CAP_BPF and CAP_NET_ADMIN. For a single thread.

#include "base/owned_fd.h"
#include "net/verdict_program.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

struct ring_buffer;

namespace serverlab {

class KernelEcho {
 public:
  /// Connections are known by their descriptors.
  /// @param limit no descriptor is as high as this
  /// @param notice_bytes echoed on a connection since it was taken, or watched again: a notice
  /// @param notice is called by `read_notices` with the descriptor, which may be closed by now
  /// @throws std::system_error that names the call
  KernelEcho(int limit, std::size_t notice_bytes, std::function<void(int)> notice);
  KernelEcho(const KernelEcho&) = delete;
  KernelEcho& operator=(const KernelEcho&) = delete;
  ~KernelEcho();

  /// Readable while there are notices.
  int notices_fd() const;
  void read_notices();

  /// From now on the kernel echoes what arrives, and what has arrived already.
  /// @return whether it does; not where the peer has ended or reset before
  bool take(int fd);

  /// Bytes that the kernel keeps: it has taken them, and the peer has not acknowledged them.
  std::uint64_t kept_bytes(int fd) const;

  /// Whether all that was echoed so far has reached the socket's send queue, so that the socket may
  /// be closed. No event tells of that.
  bool is_settled(int fd) const;

  /// After a notice: there is to be another one.
  void watch_again(int fd);

  /// To be called before the descriptor means another socket. Counts what the kernel has echoed.
  void forget(int fd);

 private:
  EchoAccount& account(int fd) const { return accounts_[static_cast<std::size_t>(fd)]; }

  const std::size_t notice_bytes_;
  const std::size_t account_bytes_;
  std::function<void(int)> notice_;
  std::vector<EchoKey> keys_;  // by descriptor
  OwnedFd slots_, accounts_map_, sockets_, notices_, program_;
  EchoAccount* accounts_ = nullptr;  // the memory of accounts_map_
  std::unique_ptr<ring_buffer, void (*)(ring_buffer*)> reader_;
};

/// Why the kernel cannot echo here, a sentence; empty if it can.
std::string lacking_kernel_echo();

}  // namespace serverlab
