#include "services/http/head_scan.h"

namespace serverlab {

HeadScan::Result HeadScan::scan(std::string_view input) {
  while (true) {
    if (line_ > 0 && line_ < input.size() && (input[line_] == ' ' || input[line_] == '\t')) {
      return Result::malformed;
    }
    const std::size_t newline = input.find('\n', line_);
    if (newline == input.npos) {
      return input.size() >= head_bytes_max ? Result::too_long : Result::incomplete;
    }
    if (newline >= head_bytes_max) return Result::too_long;
    if (newline == line_ || input[newline - 1] != '\r') return Result::malformed;
    const bool is_empty = newline == line_ + 1;
    line_ = newline + 1;
    if (is_empty) return Result::complete;
  }
}

}  // namespace serverlab
