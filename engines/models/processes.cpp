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
#include "base/shared.h"
#include "engines/connections/accepting.h"
#include "engines/connections/blocking.h"
#include "engines/workers/child_process.h"
#include "engines/engine.h"
#include "net/poll_set.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <list>
#include <sys/socket.h>
#include <sys/wait.h>

namespace serverlab {
namespace {

// At most one process that died is replaced in this time: one that dies at once is no fork storm.
constexpr Duration replacement_interval = std::chrono::milliseconds(100);

// For a process whose connection is shut down: its session may be at work.
constexpr Duration patience = std::chrono::seconds(1);

constexpr int none = -1;

// Of a worker, for its signal handler, which knows no other way.
std::atomic<int> served = none;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): so
std::atomic<int> ending = none;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): so

// Ends the connection as a stop does, and each that comes after it: of SIGHUP both ways, of the
// others only receiving. A receive that sleeps returns, and one that is about to sleep does not.
void end_connection(int number) {
  const int interrupted_call = errno;
  ending = number == SIGHUP ? SHUT_RDWR : SHUT_RD;
  if (served != none) ::shutdown(served, ending);
  errno = interrupted_call;
}

/// One process: all that runs in it.
class Worker {
 public:
  Worker(const ServeOptions& options, const Service& service, const StopSignal& stop,
         const Listener& listener, Counters& counted) :
      service_(service),
      stop_(stop),
      listener_(listener),
      counted_(counted),
      scratch_(options.read_buffer_bytes) {}

  void serve_all() {
    for (OwnedFd socket = next(); socket; socket = next()) serve(std::move(socket));
  }

  void serve(OwnedFd socket) {
    Conversation conversation(service_.open(socket.get()));
    served = socket.get();
    if (ending != none) ::shutdown(served, ending);
    converse(socket.get(), conversation, scratch_);
    served = none;
    counted_ = counters();
  }

 private:
  /// @return none once there is a stop
  OwnedFd next() {
    while (true) {
      Accepted accepted = listener_.accept(AcceptMode::blocking);
      switch (accepted.status) {
        case Accepted::Status::connection: return std::move(accepted.socket);
        case Accepted::Status::no_descriptors:
          if (stop_.wait(accept_rest)) return {};
          break;
        case Accepted::Status::failed: break;
        case Accepted::Status::nothing:
        case Accepted::Status::ended: return {};
      }
    }
  }

  const Service& service_;
  const StopSignal& stop_;
  const Listener& listener_;
  Counters& counted_;
  Scratch scratch_;
};

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
    for (int i = 0; i < options_.threads; ++i) start({});
    for (Child& child : children_) watch(child);
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
    std::unique_ptr<Shared<Counters>> counted;
    ChildProcess process;
  };

  bool complete() const { return children_.size() == static_cast<std::size_t>(options_.threads); }

  /// Forks a worker that serves these connections, or if there are none, those that it accepts.
  void start(std::vector<OwnedFd> connections) {
    auto counted = std::make_unique<Shared<Counters>>();
    ChildProcess process(end_connection, [&] { work(**counted, std::move(connections)); });
    children_.push_back({std::move(counted), std::move(process)});
  }

  void watch(Child& child) {
    child.process.watch();
    waited_for_.add(child.process.fd(), {.read = true});
  }

  void try_to_start(std::vector<OwnedFd> connections) {
    try {
      start(std::move(connections));
      watch(children_.back());
    } catch (const std::system_error& error) {
      options_.notify(error.what());
    }
  }

  // In the child. A socket that it kept open for another one would never end.
  void work(Counters& counted, std::vector<OwnedFd> connections) {
    counters() = {};
    children_.clear();
    taken_in_.clear();
    Worker worker(options_, service_, stop_, listener_, counted);
    if (connections.empty()) worker.serve_all();
    for (OwnedFd& socket : connections) worker.serve(std::move(socket));
    counted = counters();
  }

  void await_events(Duration limit) {
    waited_for_.wait(ready_, limit);
    for (const Ready& event : ready_) {
      const auto is_it = [&](const Child& child) { return child.process.fd() == event.fd; };
      const auto child = std::ranges::find_if(children_, is_it);
      if (child != children_.end()) reap(child);
    }
  }

  void reap(std::list<Child>::iterator child) {
    const int status = child->process.wait();
    if (WIFSIGNALED(status)) {
      options_.notify(fmt::format("process {} was ended by SIG{}", child->process.pid(),
                                  ::sigabbrev_np(WTERMSIG(status))));
    }
    counters() += **child->counted;
    waited_for_.remove(child->process.fd());
    children_.erase(child);
  }

  void drain() {
    listener_.set_blocking(false);
    std::vector<OwnedFd> waiting;
    accept_waiting(listener_, AcceptMode::blocking,
                   [&](OwnedFd socket) { waiting.push_back(std::move(socket)); });
    listener_.shut_down();
    listener_.close();
    waited_for_.remove(stop_.fd());
    signal_all(SIGTERM);
    deal(std::move(waiting));
    if (have_ended(options_.drain_limit)) return;
    signal_all(SIGHUP);
    if (have_ended(patience)) return;
    signal_all(SIGKILL);
    while (!children_.empty()) await_events(wait_forever);
  }

  /// Those who were in the accept queue at the stop get processes of their own, at most as many
  /// again.
  void deal(std::vector<OwnedFd> waiting) {
    ending = SHUT_RD;
    const auto most = static_cast<std::size_t>(options_.threads);
    taken_in_.resize(std::min(waiting.size(), most));
    for (std::size_t i = 0; i < waiting.size(); ++i)
      taken_in_[i % taken_in_.size()].push_back(std::move(waiting[i]));
    for (auto& connections : taken_in_) try_to_start(std::move(connections));
    taken_in_.clear();
    ending = none;
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
  Listener listener_;
  PollSet waited_for_;
  std::vector<Ready> ready_;
  std::list<Child> children_;
  Instant replace_at_ = now();                  // at the earliest
  std::vector<std::vector<OwnedFd>> taken_in_;  // at the stop, by the process that is to have them
};

}  // namespace

void serve_processes(const ServeOptions& options, const Service& service, const StopSignal& stop) {
  Parent(options, service, stop).run();
}

}  // namespace serverlab
