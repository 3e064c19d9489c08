#pragma once

// The sockets of a server of Asio's own parts: the one that listens, and those of the connections
// that are open, so that a stop can reach them.

#include "base/counters.h"
#include "engines/serve_options.h"
#include "net/stream.h"

#include <boost/asio.hpp>
#include <mutex>
#include <unordered_set>
#include <utility>  // Asio of Boost 1.74 needs it and does not include it

namespace serverlab {

/// Called by any thread.
class AsioConnections {
 public:
  explicit AsioConnections(boost::asio::io_context& context) : context_(context) {}

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

  /// Lets every connection end; when the last one has, the context stops.
  void drain() {
    const std::scoped_lock lock(mutex_);
    draining_ = true;
    for (const int fd : fds_) end_receiving(fd);
    if (fds_.empty()) context_.stop();
  }

 private:
  boost::asio::io_context& context_;
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

/// Takes in those who wait now, and then listens no more.
template <class Adopt>
void accept_waiting_and_close(AsioAcceptor& acceptor, boost::asio::io_context& context,
                              Adopt adopt) {
  acceptor.non_blocking(true);
  for (int left = waiting_at(acceptor.native_handle()); left > 0; --left) {
    boost::system::error_code nobody_waits;
    boost::asio::ip::tcp::socket socket = acceptor.accept(context, nobody_waits);
    if (!nobody_waits) adopt(std::move(socket));
  }
  acceptor.close();
}

}  // namespace serverlab
