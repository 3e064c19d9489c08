#include "engines/connections/ring_connection.h"

#include "base/counters.h"
#include "engines/connections/guarded.h"
#include "net/stream.h"

namespace serverlab {

void RingConnection::on_received(ByteView arrived) noexcept try {
  owner_.assert_here();
  if (life_ != Life::open) return;
  if (!has_room()) return held_.append(arrived);
  advance(arrived);
  proceed();
} catch (...) {
  fail();
}

void RingConnection::on_sent(std::size_t bytes) noexcept try {
  owner_.assert_here();
  counters().bytes_out += bytes;
  sending_.consume(bytes);
  partly_sent_ = !sending_.empty();
  if (!partly_sent_) sending_.release();
  proceed();
} catch (...) {
  fail();
}

void RingConnection::on_ended() noexcept try {
  owner_.assert_here();
  life_ = after(life_, LifeEvent::peer_ended);
  proceed();
} catch (...) {
  fail();
}

void RingConnection::go_on() noexcept try {
  owner_.assert_here();
  if (goes_on()) proceed();
} catch (...) {
  fail();
}

// What is being sent stays: the kernel may be reading it.
void RingConnection::fail() noexcept {
  count_failed_connection(options_);
  replies_.release();
  on_failed();
}

void RingConnection::on_failed() noexcept {
  held_.release();
  has_more_to_say_ = false;
  life_ = Life::finished;
}

ByteView RingConnection::to_be_sent() {
  if (sending_.empty()) std::swap(sending_, replies_);
  return sending_.view();
}

void RingConnection::advance(ByteView arrived) {
  const Next next = conversation_.advance(arrived, replies_);
  has_more_to_say_ = next == Next::flush;
  if (next != Next::close) return;
  life_ = after(life_, LifeEvent::session_closed);
  held_.release();
}

void RingConnection::proceed() {
  if (goes_on()) advance({});
  if (!held_.empty() && has_room()) {
    const Bytes held = std::exchange(held_, Bytes());
    advance(held.view());
    return proceed();
  }
  if (unsent_bytes() > 0 || has_more_to_say_) return;
  if (life_ == Life::closing) end_sending(fd());
  life_ = after(life_, LifeEvent::all_sent);
}

}  // namespace serverlab
