// processes: N forked processes block in accept; each serves its connection to the end.
//
//              ┌─ accept queue ─┐    process 1:  accept (sleeps) ─▶ receive ⇄ session ⇄ send ─┐
//   clients ══▶│ has no process │═══▶              ▲─────────────── its connection ends ◀─────┘
//              │ yet            │    process 2:  accept (sleeps) ─▶ …
//              └────────────────┘      ⋮         as many as --threads says
//
//   parent:  fork them ─▶ wait for a stop, or for a process that dies and is replaced
//
// What a session breaks, it breaks for its connection alone. Only the counters are shared.

#include "base/counters.h"
#include "base/resource.h"
#include "base/shared.h"
#include "engines/connections/accepting.h"
#include "engines/connections/blocking.h"
#include "engines/connections/drain_deadline.h"
#include "engines/connections/peer.h"
#include "engines/connections/peer_timeouts.h"
#include "engines/engine.h"
#include "engines/workers/child_process.h"
#include "net/poll_set.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <list>
#include <new>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace serverlab {
namespace {

// At most one process that died is replaced in this time: one that dies at once is no fork storm.
constexpr Duration replacement_interval = std::chrono::milliseconds(100);

// For a process that has been told to end at once.
constexpr Duration patience = std::chrono::seconds(1);

constexpr int none = -1;

// Of a worker, for its signal handler, which knows no other way. The parent sets `ending` for the
// processes that it makes after a stop.
class Worker;
std::atomic<bool> ending = false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): so
std::atomic<Worker*> worker;       // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): so

/// What each process has of its parent.
struct Inherited {
  const ServeOptions& options;
  const Service& service;
  const StopSignal& stop;
  const StopSignal& ending;  // of the process alone: each raises its own copy, the parent none
  const Listener& listener;
};

/// One process: all that runs in it.
class Worker {
 public:
  /// @param given connections; if there are none, it serves those that it accepts
  Worker(const Inherited& inherited, std::vector<OwnedFd> given, Counters& counted) :
      options_(inherited.options),
      service_(inherited.service),
      stop_(inherited.stop),
      ending_(inherited.ending),
      listener_(inherited.listener),
      given_(std::move(given)),
      counted_(counted),
      scratch_(options_.read_buffer_bytes),
      timeouts_(options_) {
    worker = this;
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { worker = nullptr; }

  void run() {
    for (; given_served_ < given_.size(); ++given_served_) {
      serve(given_[given_served_].get());
      given_[given_served_].close();
    }
    if (!given_.empty()) return;
    while (const OwnedFd socket = next()) serve(socket.get());
  }

  /// Ends the connection that it serves once it has replied to what has come; in the handler of a
  /// signal.
  void end_connection() {
    ending_.raise();
    if (served_ != none) end_receiving(served_);
  }

  /// In the handler of a signal: what it calls interrupts nothing of its own.
  void count_unanswered() {
    const Conversation* const conversation = conversation_;
    if (conversation != nullptr && conversation->is_unanswered()) ++counters().unanswered;
    const std::size_t begun = given_served_ + (conversation != nullptr ? 1 : 0);
    for (std::size_t i = begun; i < given_.size(); ++i) count_if_unanswered(given_[i].get());
    counted_ = counters();
  }

 private:
  /// Tells the signal handler what is served, as long as it is.
  class Current {
   public:
    Current(Worker& of, const Conversation& conversation, int fd) : of_(of) {
      of_.conversation_ = &conversation;
      of_.served_ = fd;
      if (ending) of_.end_connection();
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    ~Current() {
      of_.served_ = none;
      of_.conversation_ = nullptr;
    }

   private:
    Worker& of_;
  };

  void serve(int fd) {
    guarded(options_, [&] {
      Conversation conversation(fd, service_.open(peer_of(fd)), ending_);
      const Current current(*this, conversation, fd);
      converse(fd, conversation, scratch_);
    });
    counted_ = counters();
  }

  /// @return none once there is a stop
  OwnedFd next() const {
    return accept_one(listener_, [this] { return stop_.wait(accept_rest); });
  }

  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  const StopSignal& ending_;
  const Listener& listener_;
  std::vector<OwnedFd> given_;
  std::atomic<int> served_ = none;
  std::atomic<std::size_t> given_served_ = 0;
  std::atomic<const Conversation*> conversation_ = nullptr;
  Counters& counted_;
  Scratch scratch_;
  const PeerTimeouts timeouts_;
};

// Ends the connection as a stop does, and each that comes after it: a receive that sleeps returns,
// and one that is about to sleep does not. Of SIGHUP, which comes when the drain limit has passed,
// the process ends, whatever its session does.
void end_connection(int number) {
  const int interrupted_call = errno;
  if (number == SIGHUP) {
    if (Worker* const self = worker) self->count_unanswered();
    ::_exit(EXIT_SUCCESS);
  }
  ending = true;
  if (Worker* const self = worker) self->end_connection();
  errno = interrupted_call;
}

class Parent {
 public:
  Parent(const ServeOptions& options, const Service& service, const StopSignal& stop) :
      options_(options),
      service_(service),
      stop_(stop),
      listener_(options.listen, options.listening) {
    listener_.set_blocking(true);
    waited_for_.add(stop.fd(), {.read = true});
  }
  Parent(const Parent&) = delete;
  Parent& operator=(const Parent&) = delete;
  ~Parent() {
    signal_all(SIGKILL);
    for (const Child& child : children_) child.process.wait();
  }

  void run() {
    options_.confine();
    start_all();
    options_.announce(listener_.address());
    while (!stop_.raised()) {
      await_events(complete() ? wait_forever : std::max(Duration::zero(), replace_at_ - now()));
      if (!complete() && now() >= replace_at_) {
        try_to_start({});
        replace_at_ = now() + replacement_interval;
      }
    }
    drain();
  }

 private:
  struct Child {
    template <class Body>
    explicit Child(const Body& body) : process(end_connection, [&] { body(*counted); }) {}

    Shared<Counters> counted;
    ChildProcess process;
  };

  bool complete() const { return children_.size() == static_cast<std::size_t>(options_.threads); }

  /// @throws Shortage if so many processes cannot be created
  void start_all() {
    int number = 1;
    try {
      for (; number <= options_.threads; ++number) start({});
      number = 1;
      for (Child& child : children_) {
        watch(child);
        ++number;
      }
    } catch (const std::exception& error) {
      throw Shortage<>(resource_of(error).value_or(Resource::threads),
                       fmt::format("cannot create process {} of {}: {}; ask for fewer with "
                                   "--threads, or allow the server "
                                   "more processes and descriptors (ulimit -u, ulimit -n)",
                                   number, options_.threads, reason_of(error)));
    }
  }

  /// Forks a worker that serves these connections, or if there are none, those that it accepts.
  void start(std::vector<OwnedFd> connections) {
    const auto body = [&](Counters& counted) { work(counted, std::move(connections)); };
    children_.emplace_back(body);
  }

  void watch(Child& child) {
    child.process.watch();
    waited_for_.add(child.process.fd(), {.read = true});
  }

  void try_to_start(std::vector<OwnedFd> connections) {
    const std::size_t before = children_.size();
    try {
      start(std::move(connections));
      watch(children_.back());
    } catch (const std::exception& error) {
      if (children_.size() > before) end_unwatched(children_.back());
      tell("a process cannot be created: {}", error.what());
    }
  }

  template <class... Args>
  void tell(fmt::format_string<Args...> format, Args&&... args) const noexcept {
    try {
      options_.notify(fmt::format(format, std::forward<Args>(args)...));
      // NOLINTNEXTLINE(bugprone-empty-catch): there is not even memory to say it
    } catch (const std::bad_alloc&) {
    }
  }

  void end_unwatched(const Child& child) {
    child.process.send(SIGKILL);
    child.process.wait();
    children_.pop_back();
  }

  // In the child. A socket that it kept open for another one would never end.
  void work(Counters& counted, std::vector<OwnedFd> connections) {
    counters() = {};
    children_.clear();
    taken_in_.clear();
    const Inherited inherited = {.options = options_,
                                 .service = service_,
                                 .stop = stop_,
                                 .ending = ending_,
                                 .listener = listener_};
    Worker(inherited, std::move(connections), counted).run();
    counted = counters();
  }

  void await_events(Duration limit) {
    for (const Ready& event : waited_for_.wait(limit)) {
      const auto is_it = [&](const Child& child) { return child.process.fd() == event.fd; };
      const auto child = std::ranges::find_if(children_, is_it);
      if (child != children_.end()) reap(child);
    }
  }

  void reap(std::list<Child>::iterator child) {
    const int status = child->process.wait();
    if (WIFSIGNALED(status)) {
      tell("process {} was ended by SIG{}", child->process.pid(), ::sigabbrev_np(WTERMSIG(status)));
    } else if (WEXITSTATUS(status) != 0) {
      tell("process {} could not go on", child->process.pid());
    }
    counters() += *child->counted;
    waited_for_.remove(child->process.fd());
    children_.erase(child);
  }

  void drain() {
    listener_.set_blocking(false);
    std::vector<OwnedFd> waiting;
    accept_waiting(options_, listener_, AcceptMode::blocking,
                   [&](OwnedFd socket) { waiting.push_back(std::move(socket)); });
    listener_.shut_down();
    listener_.close();
    waited_for_.remove(stop_.fd());
    signal_all(SIGTERM);
    guarded(options_, [&] { deal(std::move(waiting)); });
    taken_in_.clear();
    ending = false;
    if (have_ended(DrainDeadline(stop_, options_.drain_limit).left())) return;
    signal_all(SIGHUP);
    if (have_ended(patience)) return;
    signal_all(SIGKILL);
    while (!children_.empty()) await_events(wait_forever);
  }

  /// The connections that were in the accept queue at the stop get further processes, at most
  /// `--threads` of them.
  void deal(std::vector<OwnedFd> waiting) {
    ending = true;
    const auto most = static_cast<std::size_t>(options_.threads);
    taken_in_.resize(std::min(waiting.size(), most));
    for (std::size_t i = 0; i < waiting.size(); ++i)
      taken_in_[i % taken_in_.size()].push_back(std::move(waiting[i]));
    for (auto& connections : taken_in_) try_to_start(std::move(connections));
  }

  void signal_all(int number) const {
    for (const Child& child : children_) child.process.send(number);
  }

  /// @return whether all have ended within the limit
  bool have_ended(Duration limit) {
    const Instant deadline = now() + limit;
    while (!children_.empty() && now() < deadline) await_events(deadline - now());
    return children_.empty();
  }

  const ServeOptions& options_;
  const Service& service_;
  const StopSignal& stop_;
  const StopSignal ending_;
  Listener listener_;
  PollSet waited_for_;
  std::list<Child> children_;
  Instant replace_at_ = now();                  // at the earliest
  std::vector<std::vector<OwnedFd>> taken_in_;  // at the stop, by the process that is to have them
};

}  // namespace

void serve_processes(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  Parent(options, service, stop).run();
}

}  // namespace serverlab
