#include "load/issuing.h"

namespace serverlab {

void Issuing::add(Peer& peer, Instant intended, Instant due) {
  const std::uint8_t request_class = peer.client.request(batch_);
  peer.in_flight.push(
      {.intended = intended, .due = due, .sent = {}, .request_class = request_class});
  ++batched_;
}

bool Issuing::flush(Peer& peer) {
  in_flight_ += batched_;
  batched_ = 0;
  recorder_.tally().bytes_sent += batch_.size();
  transport_.sends_with_wait() ? unstamped_.push_back(&peer) : stamp(peer, now());
  const bool went_out = transport_.send(peer, batch_.view());
  batch_.clear();
  return went_out;
}

void Issuing::stamp_waiting(Instant sent) {
  for (Peer* peer : unstamped_) stamp(*peer, sent);
  unstamped_.clear();
}

// The requests without a note are the peer's youngest.
void Issuing::stamp(Peer& peer, Instant sent) {
  for (std::uint32_t k = 0; k < peer.in_flight.count(); ++k) {
    Request& request = peer.in_flight.youngest(k);
    if (request.sent != Instant()) break;
    request.sent = sent;
    recorder_.sent(request);
  }
  timeouts_.sent(peer, sent);
}

}  // namespace serverlab
