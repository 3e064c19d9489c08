#pragma once

// Requests whose bytes differ from connection to connection and from request to request, so that a
// reply that belongs to another request, or to another connection, is seen as wrong.

#include "services/workload.h"

namespace serverlab {

/// Of payloads, in bytes: all of `least`, or evenly between the two.
struct PayloadSizes {
  std::uint32_t least;  // at least 1
  std::uint32_t most;

  /// Of one request: the same again when its reply comes.
  std::uint32_t of(std::uint32_t connection, std::uint32_t request) const;
};

class EchoClient {
 public:
  EchoClient(std::uint32_t connection, PayloadSizes sizes) :
      connection_(connection), sizes_(sizes) {}

  std::uint8_t request(Bytes& output);
  Checked check(ByteView input);
  ExpectedReply expected() const;

 private:
  std::uint32_t connection_;
  PayloadSizes sizes_;
  std::uint32_t requested_ = 0;    // requests made
  std::uint32_t answered_ = 0;     // replies checked
  std::uint32_t reply_bytes_ = 0;  // of the reply being checked: how much has come
};
static_assert(Client<EchoClient>);

}  // namespace serverlab
