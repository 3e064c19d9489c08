#pragma once

// JSON objects that follow one another in a stream with nothing between them: where one ends.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace serverlab::kv {

/// Finds the end of an object: the brace that matches its first, whatever is between them.
class ObjectScan {
 public:
  /// Scans on.
  /// @param input from the object's brace on; each time the same, or longer
  /// @return the size of the object; 0 if its end is not there yet
  std::size_t scan(std::string_view input);

  /// The least size that an object can have which begins as the input does.
  std::size_t size_min() const { return scanned_ + depth_ + (in_string_ ? 1 : 0); }

 private:
  std::uint32_t scanned_ = 0;  // with the byte behind a backslash, which may not have come yet
  std::uint32_t depth_ = 0;
  bool in_string_ = false;
};

/// The white space at the beginning of `text`.
std::size_t space_size(std::string_view text);

}  // namespace serverlab::kv
