#include "services/bucket/line_scan.h"

namespace serverlab {

BucketLineScan::Result BucketLineScan::scan(std::string_view input, std::uint64_t delay_max) {
  // Two numbers of 20 digits, which is all that 64 bits can need, and room to see that it is more.
  constexpr std::size_t line_bytes_max = 64;
  Result result = Result::incomplete;
  while (result == Result::incomplete && scanned_ < input.size()) {
    result = scanned_ + 1U < line_bytes_max || input[scanned_] == '\n'
                 ? take(input[scanned_], delay_max)
                 : Result::malformed;
    ++scanned_;
  }
  return result;
}

// Numbers are as the hand-out writes them: no sign, no blank, no zero in front.
BucketLineScan::Result BucketLineScan::take(char c, std::uint64_t delay_max) {
  const bool in_bucket = bucket_begin_ > 0;
  if (c >= '0' && c <= '9') {
    return take_digit(c, delay_max) ? Result::incomplete : Result::malformed;
  }
  if (digits_ == 0 || c != (in_bucket ? '\n' : ',')) return Result::malformed;
  if (in_bucket) return Result::complete;
  bucket_begin_ = static_cast<std::uint8_t>(scanned_ + 1);
  digits_ = 0;
  begins_with_zero_ = false;
  return Result::incomplete;
}

bool BucketLineScan::take_digit(char c, std::uint64_t delay_max) {
  if (begins_with_zero_) return false;
  begins_with_zero_ = digits_ == 0 && c == '0';
  ++digits_;
  if (bucket_begin_ > 0) return true;  // which buckets there are not is told of the whole number
  delay_ = 10 * delay_ + static_cast<std::uint64_t>(c - '0');
  return delay_ <= delay_max;
}

}  // namespace serverlab
