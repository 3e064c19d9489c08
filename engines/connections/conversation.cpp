#include "engines/connections/conversation.h"

#include "base/counters.h"

namespace serverlab {

Next Conversation::advance(ByteView arrived, Bytes& output) {
  const OneAtATime::Turn turn(one_at_a_time_);
  const std::size_t output_before = output.size();
  counters().bytes_in += arrived.size();
  record_.begin(arrived.size());
  auto [consumed, next, requests] = offer(arrived, output);
  if (next == Next::read_more && stop_.raised_at() != Instant::max() && has_heard_enough())
    next = Next::close;
  record_.end({.said_bytes = output.size() - output_before,
               .requests = requests,
               .has_part_of_request = has_part_of_request(requests, arrived),
               .has_more_to_say = next == Next::flush});
  if (next == Next::close) record_.close();
  counters().requests += requests;
  return next;
}

// What it has consumed without an answer belongs to a request, too.
bool Conversation::has_part_of_request(std::uint32_t answered, ByteView arrived) const {
  if (!left_over_.empty()) return true;
  if (answered > 0) return false;
  return !arrived.empty() || record_.has_part_of_request();
}

// A socket whose receiving was ended still receives: a peer that sends faster than the session
// replies would never be read to the end.
bool Conversation::has_heard_enough() {
  const bool is_first_look = looks_left_ == looks_after_stop;
  if (!is_first_look && record_.lacks(arrived_bytes_)) return false;
  if (looks_left_ == 0) return true;
  --looks_left_;
  arrived_bytes_ = record_.arrived_bytes();
  return false;
}

Progress Conversation::offer(ByteView arrived, Bytes& output) {
  if (left_over_.empty()) {
    const Progress progress = session_.advance(arrived, output);
    left_over_.append(arrived.subspan(progress.consumed));
    return progress;
  }
  left_over_.append(arrived);
  const Progress progress = session_.advance(left_over_.view(), output);
  left_over_.consume(progress.consumed);
  if (left_over_.empty()) left_over_.release();
  return progress;
}

}  // namespace serverlab
