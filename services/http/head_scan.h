#pragma once

// Finds the end of a request's head before anything in it is interpreted, so that it is parsed
// once, whole, and never grows beyond its limit. On the way it sees what a parser might let pass,
// and behind which requests are smuggled: a line that ends with a bare LF, and a folded line (RFC
// 9112, 2.2 and 5.2).

#include <cstddef>
#include <string_view>

namespace serverlab {

class HeadScan {
 public:
  static constexpr std::size_t head_bytes_max = 8 << 10;

  enum class Result { incomplete, complete, malformed, too_long };

  /// @param input from the head's first byte on; each time the same, or longer
  Result scan(std::string_view input);

  /// Of a complete head, with its empty line.
  std::size_t size() const { return line_; }

 private:
  std::size_t line_ = 0;  // where the line begins whose end has not been seen
};

}  // namespace serverlab
