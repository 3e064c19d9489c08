#include "probe/request_follower.h"

#include "base/syscall.h"

#include <algorithm>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <cerrno>
#include <system_error>
#include <utility>

// The object that clang has made of requests.bpf.c: objects.S
extern "C" const char serverlab_requests[];
extern "C" const std::uint64_t serverlab_requests_bytes;

namespace serverlab {
namespace {

constexpr std::uint32_t first = 0;

int keep(void* told, void* request, std::size_t /*bytes*/) {
  static_cast<std::vector<FollowedRequest>*>(told)->push_back(
      *static_cast<const FollowedRequest*>(request));
  return 0;
}

}  // namespace

RequestFollower::RequestFollower(std::vector<int> servers, const std::vector<int>& ports,
                                 std::uint32_t one_in) :
    servers_(std::move(servers)),
    part_({serverlab_requests, serverlab_requests_bytes}),
    ring_(::ring_buffer__new(part_.map("followed"), keep, &told_, nullptr), ::ring_buffer__free) {
  if (!ring_) throw std::system_error(errno, std::generic_category(), "ring_buffer__new");
  Following chosen = {.one_in = one_in, .salt = 0, .lost = 0, .ports = {}};
  std::ranges::copy(ports, chosen.ports);
  set(chosen);
}

RequestFollower::~RequestFollower() = default;

Following RequestFollower::following() const {
  Following found{};
  check(::bpf_map_lookup_elem(part_.map("following"), &first, &found), "bpf MAP_LOOKUP_ELEM");
  return found;
}

void RequestFollower::set(const Following& following) const {
  check(::bpf_map_update_elem(part_.map("following"), &first, &following, BPF_ANY),
        "bpf MAP_UPDATE_ELEM");
}

void RequestFollower::attach() {
  Following next = following();
  ++next.salt;
  set(next);
  part_.forget("requests");
  part_.take_servers(servers_);
  part_.attach();
}

std::vector<FollowedRequest> RequestFollower::take() {
  ::ring_buffer__consume(ring_.get());
  return std::exchange(told_, {});
}

}  // namespace serverlab
