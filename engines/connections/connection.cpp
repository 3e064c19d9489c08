#include "engines/connections/connection.h"

#include "engines/connections/guarded.h"

namespace serverlab {

bool Connection::on_readable(Scratch& scratch) noexcept try {
  const OneAtATime::Turn turn(one_at_a_time_);
  Bytes& output = unsent_.empty() ? scratch.output : unsent_;
  const bool more_may_wait = receive_into(scratch, output);
  send_from(output);
  return more_may_wait;
} catch (...) {
  fail(scratch);
  return false;
}

void Connection::receive_only(Scratch& scratch) noexcept try {
  const OneAtATime::Turn turn(one_at_a_time_);
  receive_into(scratch, unsent_);
} catch (...) {
  fail(scratch);
}

void Connection::on_writable(Scratch& scratch) noexcept try {
  const OneAtATime::Turn turn(one_at_a_time_);
  if (unsent_.empty() && has_more_to_say_) {
    advance({}, scratch.output);
    send_from(scratch.output);
  } else {
    send_from(unsent_);
  }
} catch (...) {
  fail(scratch);
}

// What it has to say is dropped: it may end in the middle of a reply, and its memory is wanted.
void Connection::fail(Scratch& scratch) noexcept {
  count_failed_connection(options_);
  scratch.output.release();
  unsent_.release();
  life_ = Life::finished;
}

Interest Connection::interest() const {
  const bool takes_input =
      life_ == Life::open && !has_more_to_say_ && unsent_.size() < options_.high_water_bytes;
  return {.read = takes_input || life_ == Life::lingering,
          .write = !unsent_.empty() || has_more_to_say_};
}

bool Connection::receive_into(Scratch& scratch, Bytes& output) {
  const Transfer received = receive(fd(), scratch.input);
  switch (received.status) {
    case Transfer::Status::moved:
      if (life_ == Life::open) advance(scratch.input.first(received.bytes), output);
      break;
    case Transfer::Status::would_block: break;
    case Transfer::Status::ended: life_ = after(life_, LifeEvent::peer_ended); break;
    case Transfer::Status::failed: life_ = Life::finished; break;
  }
  return received.bytes == scratch.input.size();
}

void Connection::advance(ByteView arrived, Bytes& output) {
  const Next next = conversation_.advance(arrived, output);
  has_more_to_say_ = next == Next::flush;
  if (next == Next::close) life_ = after(life_, LifeEvent::session_closed);
}

// One send: when it takes only a part, the socket is full, and asking again would be a wasted call.
void Connection::send_from(Bytes& output) {
  if (finished()) return output.clear();
  if (!output.empty()) {
    const Transfer sent = serverlab::send(fd(), output.view());
    if (sent.status == Transfer::Status::failed) {
      life_ = Life::finished;
      return output.clear();
    }
    output.consume(sent.bytes);
  }
  if (!output.empty() && &output != &unsent_) {
    unsent_.append(output.view());
    output.clear();
  }
  if (unsent_.empty()) all_sent();
}

void Connection::all_sent() {
  unsent_.release();
  if (has_more_to_say_) return;
  if (life_ == Life::closing) end_sending(fd());
  life_ = after(life_, LifeEvent::all_sent);
}

}  // namespace serverlab
