#include "load/worker.h"

#include "load/steadiness.h"

#include <algorithm>
#include <cerrno>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace serverlab {
namespace {

constexpr std::uint32_t connecting_max = 256;  // at a time, so that no accept queue is overrun
constexpr Duration reconnect_rest = std::chrono::milliseconds(100);
constexpr Duration timeout_check_interval = std::chrono::milliseconds(100);
constexpr Duration beat_check_interval = std::chrono::microseconds(100);

ErrorClass connect_error(int error) {
  switch (error) {
    case ECONNREFUSED: return ErrorClass::connect_refused;
    case ETIMEDOUT: return ErrorClass::connect_timeout;
    case EHOSTUNREACH:
    case ENETUNREACH: return ErrorClass::connect_unreachable;
    case EADDRNOTAVAIL:
    case EMFILE:
    case ENFILE: return ErrorClass::connect_no_port;
    default: return ErrorClass::connect_failed;
  }
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double user_share_of_cpu() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  const double user_s = seconds_of(usage.ru_utime);
  const double both_s = user_s + seconds_of(usage.ru_stime);
  return both_s > 0 ? user_s / both_s : 0;
}

}  // namespace

Worker::Worker(const LoadOptions& options, const Workload& workload,
               std::span<const Segment> segments, Share share, const Beat& beat,
               WorkerReport& report) :
    options_(options),
    workload_(workload),
    segments_(segments),
    share_(share),
    beat_(beat),
    report_(report),
    model_(make_model(options.model, share.worker, options.workers(), options.duration)),
    recorder_(report, workload.classes.size() > 1) {
  const auto targets = static_cast<std::uint32_t>(options.targets.size());
  peers_.reserve(std::size_t{targets} * share.connections);
  for (std::uint32_t target = 0; target < targets; ++target) {
    for (std::uint32_t i = 0; i < share.connections; ++i) {
      const std::uint32_t number = target * options.model.connections + share.first + i;
      peers_.emplace_back(number, target, open_client(number), options.model.depth);
    }
  }
  transport_ = make_transport(options.transport, peers_);
  connection_log_ = ConnectionLog(options.connection_log, peers_);
}

void Worker::run() {
  constexpr unsigned long finest_timer_slack_ns = 1;  // the default adds 50 µs to every sleep
  ::prctl(PR_SET_TIMERSLACK, finest_timer_slack_ns);
  if (model_->keeps_open()) connect_all();
  for (std::uint32_t i = 0; i < segments_.size() && await_beat(i); ++i) run_segment(i);
  report_fairness();
  connection_log_.write(first_window_begin_);
  report_.cpu_user_share = user_share_of_cpu();
  report_.done.store(true, std::memory_order_release);
}

void Worker::connect_all() {
  const Instant begin = now();
  const Instant deadline = begin + options_.connect_timeout;
  const double rate_per_s = options_.connect_rate_per_s / options_.workers();
  std::size_t next = 0;
  for (Instant t = begin; open_ < peers_.size() && t < deadline && !beat_.abort; t = now()) {
    const double allowed = 1 + seconds(t - begin) * rate_per_s;
    const std::size_t may_begin =
        rate_per_s > 0 ? std::min(peers_.size(), static_cast<std::size_t>(allowed)) : peers_.size();
    for (; next < may_begin && connecting_ < connecting_max; ++next) {
      connect(peers_[next], t);
    }
    open_due(t);
    transport_->wait(std::chrono::milliseconds(1), *this);
  }
}

bool Worker::await_beat(std::uint32_t segment) {
  report_.segments_awaited.store(segment + 1, std::memory_order_release);
  while (beat_.segments_begun.load(std::memory_order_acquire) <= segment) {
    if (beat_.abort) return false;
    open_due(now());
    transport_->wait(beat_check_interval, *this);
  }
  return true;
}

void Worker::run_segment(std::uint32_t index) {
  const Segment& segment = segments_[index];
  const double cpu_before_s = thread_cpu_s();
  const Instant begin = beat_.begin.load(std::memory_order_relaxed);
  Instant window_begin = begin + segment.warmup;
  Instant end = window_begin + segment.window;
  const Duration warmup_step = segment.until_steady ? warmup_interval : segment.warmup;
  recorder_.begin({index, begin, window_begin, end, warmup_step, segment.interval});
  for (Instant t = now(); t < begin; t = now()) transport_->wait(begin - t, *this);
  issuing_to_ = segment.target;
  issuing_until_ = end;
  model_->begin(begin, peers_of(segment.target), *this);
  bool warm = false;
  for (Instant t = now(); t < end && !beat_.abort; t = now()) {
    recorder_.advance_to(t);
    if (!warm && segment.until_steady && beat_.window_begin.load() < window_begin) {
      window_begin = beat_.window_begin;
      end = issuing_until_ = window_begin + segment.window;
      recorder_.move_window(window_begin);
    }
    if (!warm && t >= window_begin) {
      warm = true;
      model_->begin_window(window_begin);
      if (first_window_begin_ == Instant()) first_window_begin_ = window_begin;
    }
    const Instant due = model_->issue_due(t, *this);
    open_due(t);
    give_up_overdue(t);
    wait(t, std::min({due, warm ? end : window_begin, next_timeout_check_}));
  }
  end_issuing(end);
  drain(end + options_.timeout);
  issuing_to_ = nobody;
  recorder_.end(now());
  report_.cpu_segment_s = thread_cpu_s() - cpu_before_s;
}

void Worker::end_issuing(Instant end) {
  issuing_until_ = Instant::max();
  model_->end(end);
}

void Worker::drain(Instant limit) {
  for (Instant t = now(); t < limit && !beat_.abort; t = now()) {
    recorder_.advance_to(t);
    const Instant due = model_->issue_due(t, *this);
    open_due(t);
    if (in_flight_ == 0 && !model_->is_waiting()) break;
    wait(t, std::min({due, limit, t + timeout_check_interval}));
  }
  model_->give_up(*this);
  const Instant t = now();
  for (Peer& peer : peers_) {
    if (peer.in_flight.empty()) continue;
    give_up_requests(peer, t, GivenUp::in_flight_at_end);
    abandon(peer, t);
  }
}

// A spinning worker looks for replies without sleeping while the model waits for an instant, so
// that no wake-up makes its next request late.
void Worker::wait(Instant now, Instant until) {
  const bool spins = options_.pacing == Pacing::spin;
  if (!unstamped_.empty()) stamp_all(serverlab::now());
  transport_->wait(spins ? Duration::zero() : std::max(Duration::zero(), until - now), *this);
}

void Worker::open(Peer& peer) { openings_.push_back({now(), &peer}); }

void Worker::connect(Peer& peer, Instant now) {
  peer.connecting_since = now;
  const auto& sources = options_.sources;
  const Address* source = sources.empty() ? nullptr : &sources[peer.number % sources.size()];
  const int error =
      transport_->connect(peer, {options_.targets[peer.target], source, options_.socket});
  if (error != 0) return refused(peer, error);
  ++connecting_;
}

void Worker::connected(Peer& peer) {
  const Instant t = now();
  recorder_.advance_to(t);
  --connecting_;
  report_.established.store(++open_, std::memory_order_relaxed);
  report_.accepted.store(true, std::memory_order_relaxed);
  Tally& tally = recorder_.tally();
  tally.connect.record((t - peer.connecting_since).count());
  if (peer.was_lost()) {
    ++tally.reopened;
    tally.outage_s += seconds(t - peer.lost_at);
    peer.lost_at = Instant::max();
  }
  connection_log_.connected(peer, t);
  if (peer.target == issuing_to_) model_->opened(peer, t, *this);
}

void Worker::received(Peer& peer, ByteView bytes) {
  const Instant t = now();
  recorder_.advance_to(t);
  if (t >= issuing_until_) end_issuing(issuing_until_);
  recorder_.tally().bytes_received += bytes.size();
  connection_log_.received(peer, bytes.size());
  if (peer.unchecked.empty()) return take_replies(peer, bytes, t);
  peer.unchecked.append(bytes);
  const Bytes together = peer.unchecked.take();
  take_replies(peer, together.view(), t);
}

void Worker::take_replies(Peer& peer, ByteView bytes, Instant now) {
  std::uint32_t answers = 0;
  while (!bytes.empty()) {
    if (peer.in_flight.empty()) return lose(peer, ErrorClass::unexpected_reply);
    const Checked checked = peer.client.check(bytes);
    bytes = bytes.subspan(checked.consumed);
    if (checked.verdict == Verdict::need_more) break;
    if (checked.verdict == Verdict::wrong_content) return lose(peer, ErrorClass::wrong_content);
    if (checked.verdict == Verdict::protocol_error) return lose(peer, ErrorClass::protocol_error);
    const Request& request = peer.in_flight.oldest();
    recorder_.answered(request, now);
    if (recorder_.in_window(request)) {
      ++peer.completed;
      connection_log_.answered(peer, now - request.intended);
    }
    peer.in_flight.pop();
    --in_flight_;
    ++answers;
  }
  peer.unchecked.append(bytes);
  const bool idles = options_.model.name == ModelName::hold && peer.in_flight.empty();
  if (idles) peer.in_flight.release();  // its next probe may be far away
  if (answers > 0 && peer.target == issuing_to_) model_->answered(peer, answers, now, *this);
}

void Worker::ended(Peer& peer) {
  lose(peer, peer.in_flight.empty() ? ErrorClass::idle_eof : ErrorClass::read_eof_in_reply);
}

void Worker::failed(Peer& peer, int error) {
  if (peer.state == Peer::State::connecting) {
    --connecting_;
    refused(peer, error);
  } else if (peer.in_flight.empty()) {
    lose(peer, ErrorClass::idle_eof);
  } else {
    lose(peer, error == EPIPE ? ErrorClass::broken_pipe : ErrorClass::read_reset);
  }
}

void Worker::intend(Instant intended) { recorder_.intended(intended); }

void Worker::drop(Instant intended) { recorder_.dropped(intended); }

void Worker::issue(Peer& peer, Instant intended, Instant due) {
  const std::uint8_t request_class = peer.client.request(batch_);
  peer.in_flight.push(
      {.intended = intended, .due = due, .sent = {}, .request_class = request_class});
  ++batched_;
}

void Worker::flush(Peer& peer) {
  in_flight_ += batched_;
  batched_ = 0;
  recorder_.tally().bytes_sent += batch_.size();
  transport_->sends_with_wait() ? unstamped_.push_back(&peer) : stamp(peer, now());
  const bool went_out = transport_->send(peer, batch_.view());
  batch_.clear();
  if (!went_out) lose(peer, ErrorClass::broken_pipe);
}

// Notes when the peer's youngest requests, those without a note, are sent.
void Worker::stamp(Peer& peer, Instant sent) {
  for (std::uint32_t k = 0; k < peer.in_flight.count(); ++k) {
    Request& request = peer.in_flight.youngest(k);
    if (request.sent != Instant()) break;
    request.sent = sent;
    recorder_.sent(request);
  }
}

void Worker::stamp_all(Instant sent) {
  for (Peer* peer : unstamped_) stamp(*peer, sent);
  unstamped_.clear();
}

void Worker::close(Peer& peer, Instant began) {
  if (peer.state == Peer::State::connecting) --connecting_;
  if (peer.state == Peer::State::open)
    report_.established.store(--open_, std::memory_order_relaxed);
  transport_->close(peer);
  peer.unchecked.release();
  peer.client = open_client(peer.number);
  recorder_.session(began, now());
}

// Counts once for each request that is lost with the connection, or once if it was idle.
void Worker::lose(Peer& peer, ErrorClass error) {
  const Instant t = now();
  stamp_all(t);
  Tally& tally = recorder_.tally();
  tally.errors[static_cast<std::size_t>(error)] += std::max(1U, peer.in_flight.count());
  ++tally.lost;
  give_up_requests(peer, t, GivenUp::lost);
  abandon(peer, t);
}

void Worker::refused(Peer& peer, int error) {
  recorder_.tally().count(connect_error(error));
  int none = 0;
  report_.refusal.compare_exchange_strong(none, error);
  transport_->close(peer);
  if (model_->keeps_open()) {
    openings_.push_back({now() + reconnect_rest, &peer});
  } else {
    model_->lost(peer, now(), *this);
  }
}

void Worker::give_up_requests(Peer& peer, Instant now, GivenUp why) {
  for (; !peer.in_flight.empty(); peer.in_flight.pop(), --in_flight_) {
    recorder_.given_up(peer.in_flight.oldest(), now);
    if (why == GivenUp::in_flight_at_end) recorder_.in_flight_at_end(peer.in_flight.oldest());
  }
}

// Ends the connection; in its place there will be a new one, with a client that starts afresh.
void Worker::abandon(Peer& peer, Instant now) {
  transport_->close(peer);
  report_.established.store(--open_, std::memory_order_relaxed);
  peer.unchecked.release();
  peer.client = open_client(peer.number);
  peer.lost_at = now;
  if (model_->keeps_open()) {
    openings_.push_front({now, &peer});
  } else {
    model_->lost(peer, now, *this);
  }
}

void Worker::open_due(Instant now) {
  while (!openings_.empty() && openings_.front().due <= now && connecting_ < connecting_max) {
    Peer& peer = *openings_.front().peer;
    openings_.pop_front();
    connect(peer, now);
  }
}

void Worker::give_up_overdue(Instant now) {
  if (now < next_timeout_check_) return;
  next_timeout_check_ = now + timeout_check_interval;
  stamp_all(now);
  for (Peer& peer : peers_) {
    if (peer.state == Peer::State::connecting) {
      if (now - peer.connecting_since > options_.connect_timeout) failed(peer, ETIMEDOUT);
    } else if (!peer.in_flight.empty() && now - peer.in_flight.oldest().sent > options_.timeout) {
      lose(peer, ErrorClass::request_timeout);
    }
  }
}

void Worker::report_fairness() {
  for (std::uint32_t target = 0; target < options_.targets.size(); ++target) {
    RequestCounts& counts = report_.requests_of[target];
    for (const Peer& peer : peers_of(target)) counts.add(peer.completed);
  }
}

// To each target the same: what a connection asks does not depend on the order of the targets.
AnyClient Worker::open_client(std::uint32_t number) const {
  return workload_.open(number % options_.model.connections);
}

std::span<Peer> Worker::peers_of(std::uint32_t target) {
  return std::span(peers_).subspan(std::size_t{target} * share_.connections, share_.connections);
}

}  // namespace serverlab
