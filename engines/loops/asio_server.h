#pragma once

// The part of a server of Asio's own parts that is there once: it accepts, rests without
// descriptors, and stops. The engine decides what a connection is, which threads run the
// io_context, and how many contexts there are.
//
//   wait ─▶ accept until none is left ─▶ wait …
//             └─▶ adopt: a connection begins
//
// To accept within a handler of our own, and to wait in memory of our own, keeps the server
// accepting when there is no memory for a connection.

#include "engines/connections/asio_memory.h"
#include "net/stop_signal.h"

#include <functional>
#include <memory>
#include <mutex>

namespace serverlab {

/// Made before a thread runs the context. The threads that run it call its handlers.
class AsioServer {
 public:
  /// Begins a connection, which stands in the list until it has ended.
  /// @throws std::exception if there is no memory for it
  using Adopt =
      std::function<void(boost::asio::ip::tcp::socket, const std::shared_ptr<AsioConnections>&)>;

  /// Starts to accept as soon as a thread runs the context. A raised `stop` ends listening, calls
  /// `when_closed`, and lets every connection end; when the last one has, or the drain limit has
  /// passed, the context stops.
  AsioServer(
      boost::asio::io_context& context, const ServeOptions& options, const StopSignal& stop,
      Adopt adopt, std::function<void()> when_closed = [] {});

  /// Where it listens.
  const Address& address() const { return address_; }

 private:
  void await_clients();
  void accept();
  void rest();
  void drain();
  void adopt(boost::asio::ip::tcp::socket socket) const { adopt_(std::move(socket), connections_); }

  boost::asio::io_context& context_;
  const ServeOptions& options_;
  std::shared_ptr<AsioConnections> connections_;
  std::mutex accepting_;  // for the next three, where several threads run the context
  AsioAcceptor acceptor_;
  boost::asio::steady_timer rested_;
  boost::asio::steady_timer drain_limit_;
  const Address address_;
  boost::asio::posix::stream_descriptor stop_;
  const std::shared_ptr<OperationMemory> for_accepting_ = std::make_shared<OperationMemory>();
  const std::shared_ptr<OperationMemory> for_draining_ = std::make_shared<OperationMemory>();
  const Adopt adopt_;
  const std::function<void()> when_closed_;
};

/// Runs the context until it is stopped. What a handler throws ends the connection that the handler
/// is of: it alone knows the connection, and is gone.
void run_guarded(boost::asio::io_context& context, const ServeOptions& options);

}  // namespace serverlab
