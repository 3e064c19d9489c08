#pragma once

// How a stream may arrive: in pieces that follow from its bytes, so that an input that libFuzzer
// keeps is the stream alone, and is cut in the same way when it is run again.

#include <string>
#include <string_view>
#include <vector>

namespace serverlab::fuzz {

using Pieces = std::vector<std::string>;

/// The whole in one, by bytes, in two, and in many, in this order.
std::vector<Pieces> ways_to_arrive(std::string_view stream);

}  // namespace serverlab::fuzz
