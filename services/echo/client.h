#pragma once

// Requests whose bytes differ from connection to connection and from request to request, so that a
// reply that belongs to another request, or to another connection, is seen as wrong.

#include "services/workload.h"

namespace serverlab {

class EchoClient {
 public:
  /// @param payload_bytes at least 1
  EchoClient(std::uint32_t connection, std::uint32_t payload_bytes) :
      connection_(connection), payload_bytes_(payload_bytes) {}

  std::uint8_t request(Bytes& output);
  Checked check(ByteView input);

 private:
  std::uint32_t connection_;
  std::uint32_t payload_bytes_;
  std::uint32_t requested_ = 0;    // requests made
  std::uint32_t answered_ = 0;     // replies checked
  std::uint32_t reply_bytes_ = 0;  // of the reply being checked: how much has come
};
static_assert(Client<EchoClient>);

}  // namespace serverlab
