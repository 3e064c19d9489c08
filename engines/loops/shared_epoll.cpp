#include "engines/loops/shared_epoll.h"

#include "base/perturb.h"
#include "engines/connections/peer.h"

namespace serverlab {

SharedEpoll::SharedEpoll(const ServeOptions& options, const Service& service,
                         const StopSignal& stop) :
    options_(options),
    service_(service),
    stop_(stop),
    deadline_(stop, options.drain_limit),
    listener_(options.listen, options.listening),
    listener_fd_(listener_.fd()),
    address_(listener_.address()) {
  epoll_.add(over_.fd(), {.read = true});
  for (const int unset : {rested_.fd(), drain_limit_.fd()})
    epoll_.add(unset, {}, Trigger::one_shot);
  for (const int fd : {stop_.fd(), listener_fd_}) epoll_.add(fd, {.read = true}, Trigger::one_shot);
}

bool SharedEpoll::handle(const Ready& event, Scratch& scratch) {
  if (event.fd == over_.fd()) return false;
  if (deadline_.passed()) {
    over_.raise();
    return false;
  }
  if (event.fd == listener_fd_ || event.fd == rested_.fd()) {
    accept();
  } else if (event.fd == stop_.fd()) {
    drain();
  } else if (event.fd == drain_limit_.fd()) {
    over_.raise();
  } else {
    serve(event, scratch);
  }
  return true;
}

void SharedEpoll::accept() {
  const std::scoped_lock lock(accepting_);
  if (!listener_.is_open()) return;
  const auto taken = [this](OwnedFd socket) { adopt(std::move(socket)); };
  if (accept_up_to(options_, listener_, AcceptMode::nonblocking, conversing, taken) ==
      Accepting::goes_on) {
    return arm(listener_fd_);
  }
  rested_.set(accept_rest);
  arm(rested_.fd());
}

void SharedEpoll::adopt(OwnedFd socket) {
  AnySession session = service_.open(peer_of(socket.get()));
  const auto watch = [this](const Connection& connection) {
    epoll_.add(connection.fd(), {.read = true}, Trigger::one_shot);
  };
  const std::scoped_lock lock(mutex_);
  connections_.open(std::move(socket), watch, std::move(session), options_, stop_);
}

void SharedEpoll::serve(const Ready& event, Scratch& scratch) {
  Connection& connection = [&]() -> Connection& {
    const std::scoped_lock lock(mutex_);
    return connections_.at(event.fd);
  }();
  if (event.readable) connection.on_readable(scratch);
  if (event.writable && !connection.finished()) connection.on_writable(scratch);
  perturb();
  // The thread that gets its next event waits here until the arming has returned: only then may it
  // close the connection, and only so does it see what this thread did (a happens-before edge).
  const std::scoped_lock lock(mutex_);
  if (!connection.finished())
    return epoll_.change(event.fd, connection.interest(), Trigger::one_shot);
  epoll_.remove(event.fd);
  connections_.close(event.fd);
  if (draining_ && connections_.count() == 0) over_.raise();
}

void SharedEpoll::drain() {
  {
    const std::scoped_lock lock(accepting_);
    const auto taken = [this](OwnedFd socket) { adopt(std::move(socket)); };
    accept_waiting(options_, listener_, AcceptMode::nonblocking, taken);
    epoll_.remove(listener_fd_);
    listener_.close();
  }
  drain_limit_.set(deadline_.left());
  arm(drain_limit_.fd());
  const std::scoped_lock lock(mutex_);
  connections_.end_receiving_all();
  draining_ = true;
  if (connections_.count() == 0) over_.raise();
}

}  // namespace serverlab
