#include "services/kv/json_objects.h"

#include <algorithm>

namespace serverlab::kv {

std::size_t ObjectScan::scan(std::string_view input) {
  while (scanned_ < input.size()) {
    const char c = input[scanned_++];
    if (in_string_) {
      if (c == '\\') ++scanned_;
      if (c == '"') in_string_ = false;
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{') {
      ++depth_;
    } else if (c == '}' && --depth_ == 0) {
      return scanned_;
    }
  }
  return 0;
}

std::size_t space_size(std::string_view text) {
  return std::min(text.find_first_not_of(" \t\r\n"), text.size());
}

}  // namespace serverlab::kv
