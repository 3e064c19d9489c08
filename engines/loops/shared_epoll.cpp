#include "engines/loops/shared_epoll.h"

namespace serverlab {

OneShot::OneShot(const ServeOptions& options, const Service& service, const StopSignal& stop) :
    options_(options),
    service_(service),
    stop_(stop),
    listener_(options.listen, options.listening),
    listener_fd_(listener_.fd()) {
  epoll_.add(over_.fd(), {.read = true});
  for (const int unset : {rested_.fd(), drain_limit_.fd()})
    epoll_.add(unset, {}, Trigger::one_shot);
  for (const int fd : {stop_.fd(), listener_fd_}) epoll_.add(fd, {.read = true}, Trigger::one_shot);
  options.announce(listener_.address());
}

bool OneShot::handle(const Ready& event, Scratch& scratch) {
  if (event.fd == over_.fd()) return false;
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

void OneShot::accept() {
  const std::scoped_lock lock(accepting_);
  if (!listener_.is_open()) return;
  const auto taken = [this](OwnedFd socket) { adopt(std::move(socket)); };
  if (accept_batch(listener_, AcceptMode::nonblocking, options_.accept_batch, taken) ==
      Accepting::goes_on) {
    return arm(listener_fd_);
  }
  rested_.set(accept_rest);
  arm(rested_.fd());
}

void OneShot::adopt(OwnedFd socket) {
  const int fd = socket.get();
  AnySession session = service_.open(fd);
  const std::scoped_lock lock(mutex_);
  connections_.open(std::move(socket), std::move(session), options_.high_water_bytes);
  epoll_.add(fd, {.read = true}, Trigger::one_shot);
}

void OneShot::serve(const Ready& event, Scratch& scratch) {
  Connection& connection = [&]() -> Connection& {
    const std::scoped_lock lock(mutex_);
    return connections_.at(event.fd);
  }();
  if (event.readable) connection.on_readable(scratch);
  if (event.writable && !connection.finished()) connection.on_writable(scratch);
  // Whoever is told of it next waits here for the arming to return: only then may it be closed, and
  // only so does that thread see, by the language's rules too, what this one did.
  const std::scoped_lock lock(mutex_);
  if (!connection.finished())
    return epoll_.change(event.fd, connection.interest(), Trigger::one_shot);
  epoll_.remove(event.fd);
  connections_.close(event.fd);
  if (draining_ && connections_.count() == 0) over_.raise();
}

void OneShot::drain() {
  {
    const std::scoped_lock lock(accepting_);
    const auto taken = [this](OwnedFd socket) { adopt(std::move(socket)); };
    accept_waiting(listener_, AcceptMode::nonblocking, taken);
    epoll_.remove(listener_fd_);
    listener_.close();
  }
  drain_limit_.set(options_.drain_limit);
  arm(drain_limit_.fd());
  const std::scoped_lock lock(mutex_);
  connections_.end_receiving_all();
  draining_ = true;
  if (connections_.count() == 0) over_.raise();
}

}  // namespace serverlab
