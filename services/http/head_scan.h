#pragma once

// Finds the lines of a request's head before anything in them is interpreted, so that each is
// parsed once, whole, and the head never grows beyond its limit. On the way it sees what a parser
// might let pass, and behind which requests are smuggled: a line that ends with a bare LF, and a
// folded line (RFC 9112, 2.2 and 5.2).

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace serverlab {

enum class ScanResult : std::uint8_t { incomplete, complete, malformed, too_long };

class HeadScan {
 public:
  static constexpr std::size_t head_bytes_max = 8 << 10;

  /// Scans on.
  /// @param input from the first byte of the head on that was not taken; each time the same, or
  /// longer
  ScanResult scan(std::string_view input);

  /// The lines that are whole, which the input does not hold any more from now on.
  /// @return their size
  std::size_t take();

  /// Of the lines that are whole and were not taken.
  std::size_t size() const { return line_; }

 private:
  std::uint32_t taken_ = 0;
  std::uint32_t line_ = 0;      // where the line begins whose end has not been seen
  std::uint32_t searched_ = 0;  // so much of the input holds no other end of a line
};

}  // namespace serverlab
