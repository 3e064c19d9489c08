#include "services/http/head_scan.h"

#include <utility>

namespace serverlab {

ScanResult HeadScan::scan(std::string_view input) {
  using enum ScanResult;
  while (true) {
    const bool is_first = taken_ + line_ == 0;
    if (!is_first && line_ < input.size() && (input[line_] == ' ' || input[line_] == '\t')) {
      return malformed;
    }
    const std::size_t newline = input.find('\n', searched_);
    if (newline == input.npos) {
      searched_ = static_cast<std::uint32_t>(input.size());
      return taken_ + input.size() >= head_bytes_max ? too_long : incomplete;
    }
    if (taken_ + newline >= head_bytes_max) return too_long;
    if (newline == line_ || input[newline - 1] != '\r') return malformed;
    const bool is_empty = newline == line_ + 1;
    line_ = searched_ = static_cast<std::uint32_t>(newline + 1);
    if (is_empty) return complete;
  }
}

std::size_t HeadScan::take() {
  taken_ += line_;
  searched_ -= line_;
  return std::exchange(line_, 0);
}

}  // namespace serverlab
