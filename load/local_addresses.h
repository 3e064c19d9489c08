#pragma once

// Where connections come from. Between two addresses there are as many connections as local ports,
// so a load with more of them needs more local addresses; on loopback there are 16 million.

#include "load/load_options.h"

#include <string>
#include <vector>

namespace serverlab {

/// The local addresses to connect from; none if the system may choose.
/// @param wanted as given: addresses, or the word `auto`
/// @throws BadSetting if ports or descriptors do not suffice
std::vector<Address> local_addresses(const LoadOptions& options,
                                     const std::vector<std::string>& wanted);

/// Local ports that the kernel assigns, per address (net.ipv4.ip_local_port_range).
std::uint32_t local_ports();

}  // namespace serverlab
