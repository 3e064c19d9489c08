#include "services/http/chunk_scan.h"

namespace serverlab {
namespace {

bool is_hex_digit(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'f');
}

}  // namespace

ScanResult ChunkScan::scan(std::string_view input) {
  while (state_ != State::trailers && state_ != State::ended) {
    if (scanned_ == input.size()) return ScanResult::incomplete;
    if (scanned_ == HeadScan::head_bytes_max) return ScanResult::too_long;
    if (!take(input[scanned_++])) return ScanResult::malformed;
  }
  return state_ == State::ended ? ScanResult::complete : trailers_.scan(input.substr(scanned_));
}

bool ChunkScan::take(char c) {
  constexpr std::uint16_t extension_bytes_max = 256;
  switch (state_) {
    case State::end_of_data: state_ = State::line_feed_of_data; return c == '\r';
    case State::line_feed_of_data: state_ = State::size; return c == '\n';
    case State::size:
      is_last_ = c == '0';
      state_ = State::more_of_size;
      return is_hex_digit(c);
    case State::more_of_size:
      if (is_hex_digit(c)) {
        is_last_ = is_last_ && c == '0';
        return true;
      }
      state_ = State::extension;
      if (c != '\r' && c != ';' && c != ' ' && c != '\t') return false;
      [[fallthrough]];
    case State::extension:
      if (c == '\r') {
        state_ = State::line_feed;
        return true;
      }
      return c != '\n' && ++extension_bytes_ <= extension_bytes_max;
    case State::line_feed: state_ = is_last_ ? State::trailers : State::ended; return c == '\n';
    case State::trailers:
    case State::ended: break;
  }
  return false;
}

}  // namespace serverlab
