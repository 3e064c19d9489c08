#pragma once

// Finds the line before a chunk, byte by byte, so that it is parsed once, whole, and refused as
// soon as it cannot be one. The last line comes with the trailers that follow it (RFC 9112, 7.1).

#include "services/http/head_scan.h"

namespace serverlab {

class ChunkScan {
 public:
  /// Where a body begins, or where the data of a chunk have ended.
  enum class Begin : std::uint8_t { body, after_data };

  explicit ChunkScan(Begin begin) :
      state_(begin == Begin::body ? State::size : State::end_of_data) {}

  /// Scans on.
  /// @param input from the line's first byte on; each time the same, or longer
  ScanResult scan(std::string_view input);

  /// Of what is complete: the line, with the end of the data before it and the trailers behind it.
  std::size_t size() const { return scanned_ + trailers_.size(); }

 private:
  enum class State : std::uint8_t {
    end_of_data,
    line_feed_of_data,
    size,
    more_of_size,
    extension,
    line_feed,
    trailers,
    ended
  };

  /// @return false if no line can go on with this byte
  bool take(char c);

  State state_;
  bool is_last_ = true;  // the size has had no digit other than zero
  std::uint16_t extension_bytes_ = 0;
  std::uint32_t scanned_ = 0;  // without trailers
  HeadScan trailers_;
};

}  // namespace serverlab
