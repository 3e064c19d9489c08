#include "services/kv/json_objects.h"

#include <algorithm>

namespace serverlab::kv {

std::size_t object_size(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

std::size_t space_size(std::string_view text) {
  return std::min(text.find_first_not_of(" \t\r\n"), text.size());
}

}  // namespace serverlab::kv
