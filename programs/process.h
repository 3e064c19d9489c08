#pragma once

// What a program arranges for its own process before it starts to work.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace serverlab {

using Json = nlohmann::ordered_json;

/// Raises the soft limit of open files to the hard one.
/// @return the limit
std::uint64_t raise_descriptor_limit();

/// Keeps this process and its future threads on these CPUs; none given: where it is.
/// @return how many CPUs it may use
/// @throws Unsupported if a CPU is not there
int pin_to(const std::vector<int>& cpus);

/// An event as a line of JSON: ASCII, with escapes for all other characters.
std::string event_line(const Json& event);

/// The same on stdout, at once (print_out).
void print_event(const Json& event);

}  // namespace serverlab
