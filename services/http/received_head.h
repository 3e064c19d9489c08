#pragma once

// The head of a reply, as the client reads it: what tells the status, and where the reply ends.

#include "services/http/head_scan.h"

#include <cstdint>
#include <string_view>

namespace serverlab {

struct ReceivedHead {
  /// How the end of the content is told. A reply whose content ends with the connection is not
  /// taken: it cannot be told from one that was cut short.
  enum class Framing : std::uint8_t { none, length, chunks };

  std::size_t size = 0;  // of the head, with the empty line that ends it
  int status = 0;
  Framing framing = Framing::none;
  std::uint64_t content_bytes = 0;  // if the framing is a length
};

/// Reads a head once it is whole. It may be a server's of HTTP/1.0 or HTTP/1.1.
/// @param text from the reply's first byte on
/// @param head written if the result is `complete`
ScanResult read_received_head(std::string_view text, ReceivedHead& head);

}  // namespace serverlab
