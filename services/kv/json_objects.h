#pragma once

// JSON objects that follow one another in a stream with nothing between them: where one ends.

#include <cstddef>
#include <string_view>

namespace serverlab::kv {

/// The size of the object at the beginning of `text`, which begins with a brace: up to the brace
/// that matches, whatever is between them.
/// @return 0 if its end is not there yet
std::size_t object_size(std::string_view text);

/// The white space at the beginning of `text`.
std::size_t space_size(std::string_view text);

}  // namespace serverlab::kv
