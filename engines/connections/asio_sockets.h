#pragma once

// The sockets of a server of Asio's own parts: the one that listens, and those of the connections
// that are open, so that a stop can reach them.

#include "base/counters.h"
#include "engines/connections/drain_deadline.h"
#include "engines/serve_options.h"
#include "net/stream.h"

#include <boost/asio.hpp>
#include <mutex>
#include <unordered_set>
#include <utility>  // Asio of Boost 1.74 needs it and does not include it

namespace serverlab {

/// Any thread may call its methods.
class AsioConnections {
 public:
  AsioConnections(boost::asio::io_context& context, const StopSignal& stop, Duration drain_limit) :
      context_(context), deadline_(stop, drain_limit) {}

  const DrainDeadline& deadline() const { return deadline_; }

  /// Ask it before a session is advanced. If connections are cut off, the context stops.
  bool are_cut_off() {
    if (!deadline_.passed()) return false;
    context_.stop();
    return true;
  }

  void add(int fd) {
    ++counters().accepts;
    const std::scoped_lock lock(mutex_);
    fds_.insert(fd);
  }

  void remove(int fd) {
    const std::scoped_lock lock(mutex_);
    fds_.erase(fd);
    if (draining_ && fds_.empty()) context_.stop();
  }

  /// Ends receiving on every connection; when the last one has ended, the context stops.
  void drain() {
    const std::scoped_lock lock(mutex_);
    draining_ = true;
    for (const int fd : fds_) end_receiving(fd);
    if (fds_.empty()) context_.stop();
  }

 private:
  boost::asio::io_context& context_;
  const DrainDeadline deadline_;
  std::mutex mutex_;
  std::unordered_set<int> fds_;
  bool draining_ = false;
};

using AsioAcceptor = boost::asio::ip::tcp::acceptor;

template <class Executor>
AsioAcceptor asio_acceptor(const Executor& executor, const ServeOptions& options) {
  using boost::asio::ip::tcp;
  return {executor, options.listen.family() == AF_INET6 ? tcp::v6() : tcp::v4(),
          Listener(options.listen, options.listening).release()};
}

}  // namespace serverlab
