#include "engines/connections/conversation_record.h"

#include "base/counters.h"
#include "net/tcp_totals.h"

namespace serverlab {
namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): there before a handler asks
constinit OpenConversations open_ones;

// Of a number that one thread writes: a load and a store, no instruction that locks.
void add(std::atomic<std::uint32_t>& number, std::size_t more) {
  number.store(number.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(more),
               std::memory_order_relaxed);
}

void set(std::atomic<bool>& state, bool value) { state.store(value, std::memory_order_relaxed); }

void tell(const std::atomic<void (*)()>& listener) {
  if (auto* const call = listener.load(std::memory_order_relaxed)) call();
}

}  // namespace

OpenConversations& open_conversations() { return open_ones; }

ConversationRecord::ConversationRecord(int fd) : fd_(fd) {
  if (fd_ < 0) return;
  const auto slot = static_cast<std::size_t>(fd_);
  const std::scoped_lock lock(open_ones.mutex);
  if (open_ones.by_fd.size() <= slot) open_ones.by_fd.resize(slot + 1);
  open_ones.by_fd[slot] = this;
  ++open_ones.count;
  tell(open_ones.when_one_opens);
}

ConversationRecord::~ConversationRecord() {
  if (fd_ < 0) return;
  const std::scoped_lock lock(open_ones.mutex);
  open_ones.by_fd[static_cast<std::size_t>(fd_)] = nullptr;
  --open_ones.count;
  if (open_ones.counts_unanswered && is_unanswered()) ++counters().unanswered;
}

void ConversationRecord::begin(std::size_t offered_bytes) {
  set(is_at_work_, true);
  add(offered_, offered_bytes);
}

void ConversationRecord::end(const Turn& turn) {
  add(said_, turn.said_bytes);
  if (turn.requests > 0) add(requests_, turn.requests);
  set(has_part_, turn.has_part_of_request);
  set(has_more_to_say_, turn.has_more_to_say);
  set(is_at_work_, false);
}

void ConversationRecord::close() {
  set(is_closed_, true);
  tell(open_ones.when_one_closes);
}

bool ConversationRecord::is_unanswered() const {
  if (was_unanswered_) return true;
  const std::optional<TcpTotals> totals = tcp_totals(fd_);
  if (!totals) return false;
  const bool has_unsent = static_cast<std::uint32_t>(totals->sent) != said_;
  const bool has_unread = static_cast<std::uint32_t>(totals->received) != offered_;
  return is_at_work_ || has_more_to_say_ || has_unsent || (has_unread && !is_closed_);
}

std::uint32_t ConversationRecord::arrived_bytes() const {
  const std::optional<TcpTotals> totals = tcp_totals(fd_);
  return totals ? static_cast<std::uint32_t>(totals->received) : offered_bytes();
}

}  // namespace serverlab
