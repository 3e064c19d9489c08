#include "engines/connections/unanswered.h"

#include "net/stream.h"
#include "net/tcp_totals.h"

#include <mutex>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace serverlab {
namespace {

struct Records {
  std::mutex mutex;
  std::vector<ConversationRecord*> by_fd;  // guarded by mutex
  std::atomic<bool> counts = false;
};

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): there before a handler asks
constinit Records records;

// How far above the highest with a session a connection may be that waits for one. To look at each
// number needs no memory and no descriptor.
constexpr std::size_t waiting_max = 1 << 16;

bool has_asked(int fd) {
  const std::optional<TcpTotals> totals = tcp_totals(fd);
  return totals && totals->received > 0;
}

}  // namespace

ConversationRecord::ConversationRecord(int fd) : fd_(fd) {
  if (fd_ < 0) return;
  const auto slot = static_cast<std::size_t>(fd_);
  const std::scoped_lock lock(records.mutex);
  if (records.by_fd.size() <= slot) records.by_fd.resize(slot + 1);
  records.by_fd[slot] = this;
}

ConversationRecord::~ConversationRecord() {
  if (fd_ < 0) return;
  const std::scoped_lock lock(records.mutex);
  records.by_fd[static_cast<std::size_t>(fd_)] = nullptr;
  if (records.counts && is_unanswered()) ++counters().unanswered;
}

void ConversationRecord::begin(std::size_t offered_bytes) {
  is_at_work_.store(true, std::memory_order_relaxed);
  offered_.store(
      offered_.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(offered_bytes),
      std::memory_order_relaxed);
}

void ConversationRecord::end(std::size_t said_bytes, bool has_more_to_say) {
  said_.store(said_.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(said_bytes),
              std::memory_order_relaxed);
  is_at_work_.store(has_more_to_say, std::memory_order_relaxed);
}

bool ConversationRecord::is_unanswered() const {
  if (was_unanswered_) return true;
  const std::optional<TcpTotals> totals = tcp_totals(fd_);
  if (!totals) return false;
  const bool has_unsent = static_cast<std::uint32_t>(totals->sent) != said_;
  const bool has_unread = static_cast<std::uint32_t>(totals->received) != offered_;
  return is_at_work_ || has_unsent || (has_unread && !is_closed_);
}

std::uint32_t ConversationRecord::arrived_bytes() const {
  const std::optional<TcpTotals> totals = tcp_totals(fd_);
  return totals ? static_cast<std::uint32_t>(totals->received) : offered_.load();
}

void count_unanswered() { records.counts = true; }

void end_both_ways(int fd) {
  {
    const auto slot = static_cast<std::size_t>(fd);
    const std::scoped_lock lock(records.mutex);
    ConversationRecord* record = slot < records.by_fd.size() ? records.by_fd[slot] : nullptr;
    if (records.counts && record != nullptr) record->settle();
  }
  ::shutdown(fd, SHUT_RDWR);
}

void count_if_unanswered(int fd) {
  if (has_asked(fd)) ++counters().unanswered;
}

std::optional<Counters> try_counters_total_now() {
  const std::unique_lock lock(records.mutex, std::try_to_lock);
  if (!lock) return std::nullopt;
  std::optional<Counters> total = try_counters_total();
  if (!total) return std::nullopt;
  for (std::size_t slot = STDERR_FILENO + 1; slot < records.by_fd.size() + waiting_max; ++slot) {
    const auto fd = static_cast<int>(slot);
    end_sending(fd);  // what a session says from now on is not heard: the count stays true
    const ConversationRecord* record = slot < records.by_fd.size() ? records.by_fd[slot] : nullptr;
    if (record != nullptr ? record->is_unanswered() : has_asked(fd)) ++total->unanswered;
  }
  return total;
}

}  // namespace serverlab
