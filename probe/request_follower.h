#pragma once

// Attaches the kernel's part that follows requests (requests.bpf.c), and reads what it tells.

#include "probe/kernel_part.h"
#include "probe/requests.h"

#include <cstdint>
#include <memory>
#include <vector>

struct ring_buffer;

namespace serverlab {

class RequestFollower {
 public:
  /// Loads the kernel's part; nothing is attached yet.
  /// @param servers a process of each; the processes that it has made are its own
  /// @param ports where each server listens
  /// @param one_in of so many connections, one is followed
  /// @throws Unsupported if the kernel does not let this process, with what it wants
  RequestFollower(std::vector<int> servers, const std::vector<int>& ports, std::uint32_t one_in);
  RequestFollower(const RequestFollower&) = delete;
  RequestFollower& operator=(const RequestFollower&) = delete;
  ~RequestFollower();

  /// From now on requests are followed, each time those of other connections.
  /// @throws std::runtime_error if a server is gone
  void attach();

  /// From now on nothing is slower for it.
  void detach() { part_.detach(); }

  bool is_attached() const { return part_.is_attached(); }

  /// The requests that are over and have not been taken yet. One is over when the next one of its
  /// connection comes.
  std::vector<FollowedRequest> take();

  /// Requests for which there was no place.
  std::uint64_t lost() const { return following().lost; }

 private:
  Following following() const;
  void set(const Following& following) const;

  std::vector<int> servers_;
  KernelPart part_;
  std::vector<FollowedRequest> told_;
  std::unique_ptr<ring_buffer, void (*)(ring_buffer*)> ring_;
};

}  // namespace serverlab
