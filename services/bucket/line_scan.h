#pragma once

// Finds the end of a request, `<delay>,<bucket>\n`, byte by byte, and what cannot become one.

#include <cstdint>
#include <string_view>

namespace serverlab {

class BucketLineScan {
 public:
  enum class Result : std::uint8_t { incomplete, complete, malformed };

  /// Scans on.
  /// @param input from the line's first byte on; each time the same, or longer
  /// @param delay_max longest delay that is allowed
  Result scan(std::string_view input, std::uint64_t delay_max);

  // Of a complete line.
  std::uint64_t delay() const { return delay_; }
  std::string_view bucket_in(std::string_view input) const {
    return input.substr(bucket_begin_, size() - bucket_begin_ - 1);
  }
  std::size_t size() const { return scanned_; }

 private:
  Result take(char c, std::uint64_t delay_max);
  bool take_digit(char c, std::uint64_t delay_max);

  std::uint64_t delay_ = 0;
  std::uint8_t scanned_ = 0;
  std::uint8_t bucket_begin_ = 0;  // 0: the comma has not come
  std::uint8_t digits_ = 0;        // of the number that is being read
  bool begins_with_zero_ = false;  // that number
};

}  // namespace serverlab
