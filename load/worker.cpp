#include "load/worker.h"

#include "load/steadiness.h"

#include <algorithm>
#include <cerrno>
#include <sys/prctl.h>

namespace serverlab {
namespace {

constexpr Duration reconnect_rest = std::chrono::milliseconds(100);
constexpr Duration turn_max = std::chrono::milliseconds(100);  // what is overdue is found by then
constexpr Duration beat_check_interval = std::chrono::microseconds(100);
constexpr Duration done_check_interval = std::chrono::milliseconds(2);  // of a worker that is done
// The windows of several generators do not end at once, and a server that is full would take in a
// connection of another one as soon as one is closed.
constexpr Duration hold_beyond_window = std::chrono::milliseconds(50);
constexpr Duration connect_check_interval = std::chrono::milliseconds(1);

}  // namespace

Worker::Worker(const LoadOptions& options, const Workload& workload,
               std::span<const Segment> segments, Share share, const Beat& beat,
               WorkerReport& report) :
    options_(options),
    workload_(workload),
    segments_(segments),
    share_(share),
    connections_(share.count(options.model.connections)),
    beat_(beat),
    report_(report),
    peers_(make_peers()),
    transport_(make_transport(options.transport, peers_)),
    model_(make_model(options.model, share, options.duration)),
    recorder_(report, workload.classes.size() > 1),
    connecting_(options, *transport_, report),
    timeouts_(options.timeout),
    issuing_(*transport_, recorder_, timeouts_),
    connection_log_(options.connection_log, peers_) {}

void Worker::run() {
  constexpr unsigned long finest_timer_slack_ns = 1;  // the default adds 50 µs to every sleep
  ::prctl(PR_SET_TIMERSLACK, finest_timer_slack_ns);
  if (options_.model.keeps_open()) connect_all();
  for (std::uint32_t i = 0; i < segments_.size() && await_beat(i); ++i) run_segment(i);
  report_fairness();
  report_.connection_log_error = connection_log_.write(first_window_begin_);
  report_.cpu_user_share = thread_user_share();
  report_.done.store(true, std::memory_order_release);
}

void Worker::connect_all() {
  const Instant begin = now();
  const Instant deadline = begin + options_.connect_timeout;
  start_connecting(begin);
  for (Instant t = begin; connecting_.open() < peers_.size() && t < deadline && !beat_.abort;
       t = now()) {
    connect_due(t);
    transport_->wait(connect_check_interval, *this);
  }
  connecting_.end_all();
}

void Worker::start_connecting(Instant begin) {
  connecting_.start_all(peers_, begin, options_.connect_rate_per_s / share_.workers);
}

bool Worker::await_beat(std::uint32_t segment) {
  report_.segments_awaited.store(segment + 1, std::memory_order_release);
  while (beat_.segments_begun.load(std::memory_order_acquire) <= segment) {
    if (beat_.abort) return false;
    connect_due(now());
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
  for (Instant t = now(); t < begin && !beat_.abort; t = now())
    transport_->wait(std::min(begin - t, turn_max), *this);
  issuing_to_ = segment.target;
  issuing_until_ = end;
  model_->begin(begin, peers_of(segment.target), *this);
  if (options_.model.start == Start::own) start_connecting(begin);
  bool warm = false;
  PauseFinder pauses(report_.pauses_of[segment.target], window_begin, end, replies_);
  Instant t = now();
  while (t < end && !beat_.abort) {
    recorder_.advance_to(t);
    if (!warm && segment.until_steady && beat_.window_begin.load() < window_begin) {
      window_begin = beat_.window_begin;
      end = issuing_until_ = window_begin + segment.window;
      recorder_.move_window(window_begin);
      pauses.move(window_begin, end);
    }
    if (!warm && t >= window_begin) {
      warm = true;
      model_->begin_window(window_begin);
      if (first_window_begin_ == Instant()) first_window_begin_ = window_begin;
    }
    const Instant due = model_->issue_due(t, *this);
    connect_due(t);
    give_up_overdue(t);
    if (options_.model.ends_when_done()) end = end_if_done(t, end);
    const Instant look = timeouts_.is_behind(t) ? t : t + longest_turn();
    const Instant until = std::min({due, warm ? end : window_begin, look});
    wait(t, until);
    const Instant latest = std::max(t, until);
    pauses.turn(latest, t = now(), replies_, issuing_.in_flight() > 0);
  }
  report_.unfinished = model_->unfinished();
  end_issuing(end);
  drain(end + options_.timeout);
  pauses.drained(replies_);
  issuing_to_ = no_target;
  recorder_.end(now());
  report_.cpu_segment_s = thread_cpu_s() - cpu_before_s;
}

// Says when its clients are done, and ends the window when the conductor says that all are.
// @return when the window ends
Instant Worker::end_if_done(Instant now, Instant end) {
  if (model_->unfinished() > 0) return end;
  if (report_.finished_at.load() == Instant::max()) report_.finished_at = now;
  if (beat_.window_end.load() >= end) return end;
  recorder_.end_window(beat_.window_end);
  return issuing_until_ = beat_.window_end;
}

// What has no instant of its own is looked for by then.
Duration Worker::longest_turn() const {
  if (connecting_.has_unopened()) return connect_check_interval;
  return report_.finished_at.load() == Instant::max() ? turn_max : done_check_interval;
}

void Worker::end_issuing(Instant end) {
  issuing_until_ = Instant::max();
  model_->end(end);
}

void Worker::drain(Instant limit) {
  const std::uint64_t replies_before = replies_;
  const bool holds = options_.model.name == ModelName::hold;
  const Instant held_until = holds ? now() + hold_beyond_window : Instant::min();
  for (Instant t = now(); t < limit && !beat_.abort; t = now()) {
    recorder_.advance_to(t);
    const Instant due = model_->issue_due(t, *this);
    connect_due(t);
    const bool is_done = issuing_.in_flight() == 0 && !model_->is_waiting();
    if (is_done && t >= held_until) break;
    wait(t, std::min({due, limit, is_done ? held_until : t + turn_max}));
  }
  model_->give_up(*this);
  const Instant t = now();
  issuing_.stamp_waiting(t);
  for (Peer& peer : peers_) {
    if (peer.in_flight.empty()) continue;
    // A server that replies so late has more to do than it can.
    if (replies_ == replies_before) peer.fail(Peer::Failure::of_the_last);
    give_up_requests(peer, t, GivenUp::in_flight_at_end);
    abandon(peer, t);
  }
}

// A spinning worker looks for replies without sleeping while the model waits for an instant, so
// that no wake-up makes its next request late.
void Worker::wait(Instant now, Instant until) {
  const bool spins = options_.pacing == Pacing::spin;
  if (issuing_.has_unstamped()) issuing_.stamp_waiting(serverlab::now());
  transport_->wait(spins ? Duration::zero() : std::max(Duration::zero(), until - now), *this);
}

// At once: the instant of the loop's turn, by which it looks what is due, is before now.
void Worker::open(Peer& peer) { connecting_.add(peer, Instant::min()); }

void Worker::connected(Peer& peer) {
  const Instant t = now();
  recorder_.advance_to(t);
  connecting_.opened(peer, t, recorder_.tally());
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
  std::uint32_t replies = 0;
  while (!bytes.empty()) {
    if (peer.in_flight.empty()) {
      note_wrong(peer, ErrorClass::unexpected_reply, {.text = "nothing: no request was sent"},
                 bytes, now);
      return lose(peer, ErrorClass::unexpected_reply);
    }
    const Checked checked = peer.client.check(bytes);
    bytes = bytes.subspan(checked.consumed);
    if (checked.verdict == Verdict::need_more) break;
    if (checked.verdict != Verdict::correct) {
      const ErrorClass error = checked.verdict == Verdict::wrong_content
                                   ? ErrorClass::wrong_content
                                   : ErrorClass::protocol_error;
      note_wrong(peer, error, peer.client.expected(), bytes, now);
      return lose(peer, error);
    }
    const Request& request = peer.in_flight.oldest();
    recorder_.answered(request, now);
    if (recorder_.in_window(request)) {
      ++peer.completed;
      connection_log_.answered(peer, now - request.intended);
    }
    if (!peer.was_answered) note_wait(peer, now);
    peer.was_answered = peer.was_answered || recorder_.in_window();
    if (peer.failure == Peer::Failure::of_the_last) peer.failure = Peer::Failure::none;
    issuing_.finish_oldest(peer);
    ++replies;
  }
  replies_ += replies;
  peer.unchecked.append(bytes);
  const bool idles = options_.model.name == ModelName::hold && peer.in_flight.empty();
  if (idles) peer.in_flight.release();  // its next probe may be far away
  if (replies > 0 && peer.target == issuing_to_) model_->replied(peer, replies, now, *this);
}

// The first wrong reply of each target is kept, to be shown.
void Worker::note_wrong(const Peer& peer, ErrorClass error, const ExpectedReply& expected,
                        ByteView received, Instant now) {
  WrongReply& first = report_.wrong_reply_of[peer.target];
  if (!first.is_none()) return;
  first = WrongReply(now, peer.number % options_.model.connections, error, expected, received);
}

void Worker::ended(Peer& peer) {
  lose(peer, peer.in_flight.empty() ? ErrorClass::idle_eof : ErrorClass::read_eof_in_reply);
}

void Worker::failed(Peer& peer, int error) {
  if (peer.state == Peer::State::connecting) {
    refused(peer, error);
  } else if (peer.in_flight.empty()) {
    lose(peer, ErrorClass::idle_eof);
  } else {
    lose(peer, error == EPIPE ? ErrorClass::broken_pipe : ErrorClass::read_reset);
  }
}

void Worker::intend(Instant intended) { recorder_.intended(intended); }

void Worker::drop(Instant intended) { recorder_.dropped(intended); }

void Worker::issue(Peer& peer, Instant intended, Instant due) { issuing_.add(peer, intended, due); }

void Worker::flush(Peer& peer) {
  if (!issuing_.flush(peer)) lose(peer, ErrorClass::broken_pipe);
}

void Worker::close(Peer& peer, Instant began) {
  connecting_.close(peer);
  peer.client = open_client(peer.number);
  recorder_.session(began, now());
}

// An error of each request that is lost with the connection, or of the connection if it was idle.
void Worker::lose(Peer& peer, ErrorClass error) {
  const Instant t = now();
  issuing_.stamp_waiting(t);
  if (peer.in_flight.empty()) {
    recorder_.tally().count(error);
  } else {
    const bool timed_out = error == ErrorClass::request_timeout && recorder_.in_window();
    peer.fail(timed_out ? Peer::Failure::timed_out : Peer::Failure::of_the_last);
  }
  for (std::uint32_t k = 0; k < peer.in_flight.count(); ++k) {
    recorder_.failed(peer.in_flight.youngest(k), error);
  }
  ++recorder_.tally().lost;
  give_up_requests(peer, t, GivenUp::lost);
  abandon(peer, t);
}

void Worker::refused(Peer& peer, int error) {
  recorder_.tally().count(connect_error(error));
  int none = 0;
  report_.refusal.compare_exchange_strong(none, error);
  connecting_.close(peer);
  if (model_->keeps_open()) {
    connecting_.add(peer, now() + reconnect_rest);
  } else {
    model_->lost(peer, now(), *this);
  }
}

// What a connection has waited within the window before its first reply there, by the youngest
// request that it waited for.
void Worker::note_wait(Peer& peer, Instant now) {
  if (peer.in_flight.count() > 1) return;
  peer.waited_s +=
      static_cast<float>(recorder_.overlap_with_window_s(peer.in_flight.oldest().sent, now));
}

void Worker::give_up_requests(Peer& peer, Instant now, GivenUp why) {
  for (; !peer.in_flight.empty(); issuing_.finish_oldest(peer)) {
    if (!peer.was_answered) note_wait(peer, now);
    recorder_.given_up(peer.in_flight.oldest(), now);
    if (why == GivenUp::in_flight_at_end) recorder_.in_flight_at_end(peer.in_flight.oldest());
  }
}

// Ends the connection; in its place there will be a new one, with a client that starts afresh.
void Worker::abandon(Peer& peer, Instant now) {
  connecting_.close(peer);
  peer.client = open_client(peer.number);
  peer.lost_at = now;
  if (model_->keeps_open()) {
    connecting_.add_first(peer, now);
  } else {
    model_->lost(peer, now, *this);
  }
}

void Worker::connect_due(Instant now) {
  while (Peer* peer = connecting_.take_due(now)) {
    if (const int error = connecting_.connect(*peer, now); error != 0) refused(*peer, error);
  }
}

void Worker::give_up_overdue(Instant now) {
  while (Peer* peer = connecting_.take_overdue(now)) refused(*peer, ETIMEDOUT);
  while (Peer* peer = timeouts_.take_overdue(now)) lose(*peer, ErrorClass::request_timeout);
}

void Worker::report_fairness() {
  for (std::uint32_t target = 0; target < options_.targets.size(); ++target) {
    Duration windows{};
    for (const Segment& segment : segments_) {
      if (segment.target == target) windows += std::min(segment.window, options_.duration);
    }
    RequestCounts& counts = report_.requests_of[target];
    for (const Peer& peer : peers_of(target)) {
      counts.add(peer.completed);
      counts.alive += peer.was_answered ? 1 : 0;
      const bool asked = peer.was_answered || peer.waited_s > 0;
      counts.asked += asked ? 1 : 0;
      counts.failed += asked && peer.failure != Peer::Failure::none ? 1 : 0;
      counts.starved += !peer.was_answered && is_starving(peer.waited_s, seconds(windows)) ? 1 : 0;
    }
  }
}

std::vector<Peer> Worker::make_peers() const {
  const auto targets = static_cast<std::uint32_t>(options_.targets.size());
  std::vector<Peer> peers;
  peers.reserve(std::size_t{targets} * connections_);
  for (std::uint32_t target = 0; target < targets; ++target) {
    for (std::uint32_t i = 0; i < connections_; ++i) {
      const std::uint32_t number = target * options_.model.connections + share_.number(i);
      peers.emplace_back(number, target, open_client(number), options_.model.depth);
    }
  }
  return peers;
}

// To each target the same: what a connection asks does not depend on the order of the targets.
AnyClient Worker::open_client(std::uint32_t number) const {
  return workload_.open(number % options_.model.connections);
}

std::span<Peer> Worker::peers_of(std::uint32_t target) {
  return std::span(peers_).subspan(std::size_t{target} * connections_, connections_);
}

}  // namespace serverlab
