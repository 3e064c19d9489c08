#include "engines/connections/peer_timeouts.h"

#include "base/counters.h"
#include "base/syscall.h"
#include "net/tcp_totals.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <sys/socket.h>

namespace serverlab {
namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a handler knows no other way
std::atomic<PeerTimeouts*> armed = nullptr;

constexpr int looks_per_timeout = 8;  // so late is an end at most, as a share
constexpr Duration interval_min = std::chrono::milliseconds(5);
constexpr Duration until_unlocked = std::chrono::milliseconds(1);

Duration interval_of(const ServeOptions& options) {
  Duration shortest = PeerTimeouts::lingering;
  for (const Duration timeout : {options.idle_timeout, options.request_timeout})
    if (timeout > Duration::zero()) shortest = std::min(shortest, timeout);
  return std::max(interval_min, shortest / looks_per_timeout);
}

// How long a figure has stood still while `counts` was so; zero, and from the beginning, if not.
Duration stood_still(Standstill& standstill, bool counts, std::uint64_t figure, Instant now) {
  if (counts) return standstill.look(figure, now);
  standstill.since = Instant::max();
  return Duration::zero();
}

}  // namespace

PeerTimeouts::PeerTimeouts(const ServeOptions& options) :
    idle_(options.idle_timeout),
    request_(options.request_timeout),
    interval_(interval_of(options)),
    timer_(SIGUSR2) {
  assert(armed == nullptr);
  counters();  // of this thread, which the handler counts on: to make them takes memory
  struct sigaction action{};
  action.sa_handler = handle_signal;
  action.sa_flags = SA_RESTART;
  check(::sigaction(SIGUSR2, &action, nullptr), "sigaction SIGUSR2");
  armed = this;
  open_conversations().when_one_closes = ensure_look;
  if (has_timeout()) open_conversations().when_one_opens = ensure_look;
}

PeerTimeouts::~PeerTimeouts() {
  open_conversations().when_one_opens = nullptr;
  open_conversations().when_one_closes = nullptr;
  armed = nullptr;
}

void PeerTimeouts::handle_signal(int) {
  const int interrupted_call = errno;
  if (PeerTimeouts* const timeouts = armed) timeouts->look();
  errno = interrupted_call;
}

// From any thread.
void PeerTimeouts::ensure_look() {
  PeerTimeouts* const timeouts = armed;
  if (timeouts != nullptr && !timeouts->will_look_.load(std::memory_order_relaxed))
    timeouts->look_later(timeouts->interval_);
}

void PeerTimeouts::look_later(Duration after) {
  will_look_ = true;
  timer_.set(after);
}

// In the handler of a signal, on the first thread, which may hold the lock that it wants.
void PeerTimeouts::look() {
  OpenConversations& open = open_conversations();
  const std::unique_lock lock(open.mutex, std::try_to_lock);
  if (!lock) return look_later(until_unlocked);
  will_look_ = false;  // one that opens or closes from here on asks for a look itself
  bool look_again = false;
  const Instant time = now();
  for (ConversationRecord* const record : open.by_fd) {
    if (record == nullptr) continue;
    look_again |= has_timeout() || record->is_closed();
    if (!is_overdue(*record, time)) continue;
    if (!record->is_closed()) ++counters().timed_out;
    ::shutdown(record->fd(), SHUT_RDWR);
  }
  if (look_again) look_later(interval_);
}

bool PeerTimeouts::is_overdue(ConversationRecord& record, Instant now) const {
  const bool is_closed = record.is_closed();
  if (!is_closed && !has_timeout()) return false;
  if (record.is_at_work()) return false;
  const std::optional<TcpTotals> totals = tcp_totals(record.fd());
  if (!totals) return false;  // its engine will learn that it was reset
  ConversationRecord::Seen& seen = record.seen();
  const auto for_long = [now](Duration limit, Standstill& standstill, bool counts,
                              std::uint64_t figure) {
    return limit > Duration::zero() && stood_still(standstill, counts, figure, now) >= limit;
  };
  // If not, it is the server that is late: unless it does not read because the peer takes nothing.
  const bool is_read = static_cast<std::uint32_t>(totals->received) == record.offered_bytes();
  const bool is_taken = static_cast<std::uint32_t>(totals->sent) == record.said_bytes();
  // While output waits, a peer counts by what it takes: to send costs it nothing.
  const std::uint64_t moved =
      is_taken ? totals->received + totals->acknowledged : totals->acknowledged;
  return for_long(lingering, seen.since_close, is_closed, totals->acknowledged) ||
         for_long(request_, seen.of_request, record.has_part_of_request() && is_read,
                  record.requests()) ||
         for_long(idle_, seen.of_peer, is_read || !is_taken, moved);
}

}  // namespace serverlab
