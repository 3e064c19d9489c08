#include "engines/connections/unanswered.h"

#include "engines/connections/conversation_record.h"
#include "net/stream.h"
#include "net/tcp_totals.h"

#include <sys/socket.h>
#include <unistd.h>

namespace serverlab {
namespace {

// How far above the highest with a session a connection may be that waits for one. To look at each
// number needs no memory and no descriptor.
constexpr std::size_t waiting_max = 1 << 16;

bool has_asked(int fd) {
  const std::optional<TcpTotals> totals = tcp_totals(fd);
  return totals && totals->received > 0;
}

}  // namespace

void count_unanswered() { open_conversations().counts_unanswered = true; }

void end_both_ways(int fd) {
  OpenConversations& open = open_conversations();
  {
    const std::scoped_lock lock(open.mutex);
    ConversationRecord* const record = open.at(fd);
    if (open.counts_unanswered && record != nullptr) record->settle();
  }
  ::shutdown(fd, SHUT_RDWR);
}

void count_if_unanswered(int fd) {
  if (has_asked(fd)) ++counters().unanswered;
}

std::optional<Counters> try_counters_total_now() {
  OpenConversations& open = open_conversations();
  const std::unique_lock lock(open.mutex, std::try_to_lock);
  if (!lock) return std::nullopt;
  std::optional<Counters> total = try_counters_total();
  if (!total) return std::nullopt;
  for (std::size_t slot = STDERR_FILENO + 1; slot < open.by_fd.size() + waiting_max; ++slot) {
    const auto fd = static_cast<int>(slot);
    end_sending(fd);  // what a session says from now on is not heard: the count stays true
    const ConversationRecord* const record = open.at(fd);
    if (record != nullptr ? record->is_unanswered() : has_asked(fd)) ++total->unanswered;
  }
  return total;
}

}  // namespace serverlab
