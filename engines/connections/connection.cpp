#include "engines/connections/connection.h"

namespace serverlab {

bool Connection::on_readable(Scratch& scratch) {
  Bytes& output = unsent_.empty() ? scratch.output : unsent_;
  const bool more_may_wait = receive_into(scratch, output);
  send_from(output);
  return more_may_wait;
}

void Connection::receive_only(Scratch& scratch) { receive_into(scratch, unsent_); }

void Connection::on_writable(Scratch& scratch) {
  if (unsent_.empty() && has_more_to_say_) {
    advance({}, scratch.output);
    send_from(scratch.output);
  } else {
    send_from(unsent_);
  }
}

Interest Connection::interest() const {
  const bool takes_input =
      state_ == State::open && !has_more_to_say_ && unsent_.size() < high_water_bytes_;
  return {.read = takes_input || state_ == State::lingering,
          .write = !unsent_.empty() || has_more_to_say_};
}

bool Connection::receive_into(Scratch& scratch, Bytes& output) {
  const Transfer received = receive(fd(), scratch.input);
  switch (received.status) {
    case Transfer::Status::moved:
      if (state_ != State::open) break;
      advance(scratch.input.first(received.bytes), output);
      if (received.bytes == scratch.input.size() || receives_left_ == unlimited) break;
      if (--receives_left_ <= 0 && state_ == State::open) state_ = State::ended;
      break;
    case Transfer::Status::would_block: break;
    case Transfer::Status::ended:
      if (state_ == State::open) state_ = State::ended;
      if (state_ == State::lingering) state_ = State::finished;
      break;
    case Transfer::Status::failed: state_ = State::finished; break;
  }
  return received.bytes == scratch.input.size();
}

void Connection::advance(ByteView arrived, Bytes& output) {
  const Next next = conversation_.advance(arrived, output);
  has_more_to_say_ = next == Next::flush;
  if (next == Next::close) state_ = State::closing;
}

// One send: when it takes only a part, the socket is full, and asking again would be a wasted call.
void Connection::send_from(Bytes& output) {
  if (finished()) return output.clear();
  if (!output.empty()) {
    const Transfer sent = serverlab::send(fd(), output.view());
    if (sent.status == Transfer::Status::failed) {
      state_ = State::finished;
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
  if (state_ == State::ended) state_ = State::finished;
  if (state_ == State::closing) {
    end_sending(fd());
    state_ = State::lingering;
  }
}

}  // namespace serverlab
