#pragma once

// A server of Asio's own parts: an acceptor, connections, and the order of their operations. Who
// runs the io_context, and how many of them there are, is the engine's to say.
//
//   accept ─▶ accept …
//     └─▶ connection:   read some ─▶ session ─▶ write all ─▶ read some …
//
// A connection has one operation under way at a time, so its callbacks never run in parallel, even
// where many threads run the io_context; and who writes does not read, which is all the
// back-pressure there is.

#include "engines/connections/asio_sockets.h"
#include "net/stop_signal.h"
#include "services/service.h"

#include <memory>

namespace serverlab {

class AsioServer {
 public:
  /// Starts to accept as soon as somebody runs the context. A raised `stop` ends listening, calls
  /// `when_closed`, and lets every connection end; when the last one has, or the drain limit has
  /// passed, the context stops.
  AsioServer(
      boost::asio::io_context& context, const ServeOptions& options, const Service& service,
      const StopSignal& stop, std::function<void()> when_closed = [] {});

 private:
  void accept();
  void adopt(boost::asio::ip::tcp::socket socket);
  void accept_later();
  void drain();

  boost::asio::io_context& context_;
  boost::asio::strand<boost::asio::io_context::executor_type> strand_;  // of the last four
  const ServeOptions& options_;
  const Service& service_;
  std::shared_ptr<AsioConnections> connections_;
  AsioAcceptor acceptor_;
  boost::asio::posix::stream_descriptor stop_;
  boost::asio::steady_timer timer_;
  std::function<void()> when_closed_;
  bool accepting_ = false;  // an operation of the acceptor is under way
};

}  // namespace serverlab
