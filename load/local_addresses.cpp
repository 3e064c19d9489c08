#include "load/local_addresses.h"

#include "base/resource.h"

#include <fmt/format.h>
#include <fstream>
#include <sys/resource.h>

namespace serverlab {
namespace {

constexpr std::uint32_t descriptors_spare = 64;  // standard streams, epoll, files

bool is_loopback(const Address& address) { return address.to_string().starts_with("127."); }

// 127.0.0.2, 127.0.0.3 … 127.0.1.0 …: 127.0.0.1 is left to other programs.
Address loopback_address(std::uint32_t number) {
  const std::uint32_t host = number + 2;
  return Address::parse(fmt::format("127.{}.{}.{}:0", host >> 16, host >> 8 & 255, host & 255));
}

std::uint32_t addresses_for(std::uint32_t connections, std::uint32_t ports_each) {
  return (connections + ports_each - 1) / ports_each;
}

// As many as the kernel finds ports on quickly. It looks through every second port first, one by
// one (inet_hash_connect), so that a connect takes milliseconds once half of all are taken.
std::vector<Address> loopback_addresses(std::uint32_t connections) {
  const std::uint32_t count = addresses_for(connections, local_ports() / 3);
  std::vector<Address> addresses;
  if (count == 1) return addresses;
  for (std::uint32_t i = 0; i < count; ++i) addresses.push_back(loopback_address(i));
  return addresses;
}

// A host without a port; IPv6 with or without brackets.
Address source_address(const std::string& host) {
  const bool needs_brackets = host.contains(':') && !host.starts_with('[');
  return Address::parse(needs_brackets ? fmt::format("[{}]:0", host) : host + ":0");
}

void refuse_other_family(const LoadOptions& options, const std::vector<Address>& addresses) {
  for (const Address& source : addresses) {
    for (const Address& target : options.targets) {
      if (source.family() == target.family()) continue;
      throw BadSetting(fmt::format("--source: from {} one cannot connect to {}", source.to_string(),
                                   target.to_string()));
    }
  }
}

void refuse_too_few_descriptors(const LoadOptions& options) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto processes = static_cast<std::uint64_t>(options.processes);
  const std::uint64_t connections = options.targets.size() * std::uint64_t{options.connections()};
  const std::uint64_t each = (connections + processes - 1) / processes + descriptors_spare;
  if (each > limit.rlim_max) {
    const std::uint64_t needed = connections / (limit.rlim_max - descriptors_spare) + 1;
    throw Shortage<Unsupported>(
        Resource::descriptors,
        fmt::format("--connections: {} need {} descriptors a process, of the {} that it may have; "
                    "--processes={} "
                    "would do",
                    connections, each, limit.rlim_max, needed));
  }
}

}  // namespace

std::uint32_t local_ports() {
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  std::uint32_t first = 32768;
  std::uint32_t last = 60999;
  file >> first >> last;
  return last - first + 1;
}

std::vector<Address> local_addresses(const LoadOptions& options,
                                     const std::vector<std::string>& wanted) {
  refuse_too_few_descriptors(options);
  const std::uint32_t connections = options.connections();
  const std::uint32_t ports = local_ports() / 10 * 9;  // other programs always use some
  const std::uint32_t needed = addresses_for(connections, ports);
  std::vector<Address> addresses;
  if (wanted.size() == 1 && wanted.front() == "auto") {
    if (is_loopback(options.targets.front())) return loopback_addresses(connections);
    if (needed == 1) return {};
    throw Shortage<BadSetting>(
        Resource::ports,
        fmt::format("--connections: {} need {} local addresses, as one has {} free ports: name "
                    "them by --source",
                    connections, needed, ports));
  }
  for (const std::string& host : wanted) addresses.push_back(source_address(host));
  refuse_other_family(options, addresses);
  if (addresses.size() < needed) {
    throw Shortage<BadSetting>(
        Resource::ports,
        fmt::format("--source: {} connections need {} local addresses, {} are given", connections,
                    needed, addresses.size()));
  }
  return addresses;
}

}  // namespace serverlab
