#include "engines/connections/ring_connection.h"

#include "base/counters.h"
#include "net/stream.h"

namespace serverlab {

void RingConnection::on_received(ByteView arrived) {
  counters().bytes_in += arrived.size();
  if (takes_input()) {
    advance(arrived);
    proceed();
  } else if (state_ == State::open) {
    held_.append(arrived);
  }
}

void RingConnection::on_sent(std::size_t bytes) {
  counters().bytes_out += bytes;
  sending_.consume(bytes);
  partly_sent_ = !sending_.empty();
  if (!partly_sent_) sending_.release();
  proceed();
}

void RingConnection::on_ended() {
  peer_has_ended_ = true;
  is_lingering() ? on_failed() : proceed();
}

ByteView RingConnection::to_be_sent() {
  if (sending_.empty()) std::swap(sending_, replies_);
  return sending_.view();
}

void RingConnection::advance(ByteView arrived) {
  const Next next = conversation_.advance(arrived, replies_);
  has_more_to_say_ = next == Next::flush;
  if (next == Next::close) state_ = State::closing;
}

void RingConnection::proceed() {
  while (has_more_to_say_ && unsent_bytes() == 0) advance({});
  if (!held_.empty() && takes_input()) {
    const Bytes held = std::exchange(held_, Bytes());
    advance(held.view());
    return proceed();
  }
  if (unsent_bytes() > 0) return;
  if (state_ == State::closing) {
    end_sending(fd());
    state_ = peer_has_ended_ ? State::finished : State::lingering;
  } else if (state_ == State::open && peer_has_ended_) {
    state_ = State::finished;
  }
}

}  // namespace serverlab
