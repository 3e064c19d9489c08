#include "engines/connections/conversation.h"

#include "base/counters.h"

namespace serverlab {

Next Conversation::advance(ByteView arrived, Bytes& output) {
  if (left_over_.empty()) {
    const Progress progress = session_.advance(arrived, output);
    counters().requests += progress.requests;
    left_over_.append(arrived.subspan(progress.consumed));
    return progress.next;
  }
  left_over_.append(arrived);
  const Progress progress = session_.advance(left_over_.view(), output);
  counters().requests += progress.requests;
  left_over_.consume(progress.consumed);
  if (left_over_.empty()) left_over_.release();
  return progress.next;
}

}  // namespace serverlab
