#include "engines/loops/asio_connection.h"

#include "engines/connections/conversation.h"
#include "engines/connections/peer.h"

namespace serverlab {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

/// Lives as long as an operation of its is under way: each callback holds a share of it.
class AsioConnection : public std::enable_shared_from_this<AsioConnection> {
 public:
  AsioConnection(tcp::socket socket, AnySession session, const StopSignal& stop,
                 std::size_t read_buffer_bytes, std::shared_ptr<AsioConnections> connections) :
      socket_(std::move(socket)),
      conversation_(socket_.native_handle(), std::move(session), stop),
      input_(std::make_unique_for_overwrite<std::byte[]>(read_buffer_bytes)),
      input_size_(read_buffer_bytes),
      connections_(std::move(connections)) {
    connections_->add(socket_.native_handle());
  }
  AsioConnection(const AsioConnection&) = delete;
  AsioConnection& operator=(const AsioConnection&) = delete;
  ~AsioConnection() { connections_->remove(socket_.native_handle()); }

  void read() {
    socket_.async_read_some(input(),
                            [self = shared_from_this()](error_code error, std::size_t size) {
                              if (error) return;  // the peer has ended, and has had all its replies
                              self->advance({self->input_.get(), size});
                            });
  }

 private:
  boost::asio::mutable_buffer input() { return {input_.get(), input_size_}; }

  void advance(ByteView arrived) {
    if (connections_->are_cut_off()) return;
    next_ = conversation_.advance(arrived, output_);
    // To write nothing is a turn for others, too.
    if (output_.empty() && next_ != Next::flush) return go_on();
    const ByteView reply = output_.view();
    boost::asio::async_write(socket_, boost::asio::buffer(reply.data(), reply.size()),
                             [self = shared_from_this()](error_code error, std::size_t sent) {
                               counters().bytes_out += sent;
                               if (error) return;
                               self->output_.clear();
                               self->go_on();
                             });
  }

  void go_on() {
    switch (next_) {
      case Next::read_more: return read();
      case Next::flush: return advance({});
      case Next::close: end_sending(socket_.native_handle()); return linger();
    }
  }

  // Reads the rest away: closing with unread input could destroy the last reply on its way.
  void linger() {
    socket_.async_read_some(input(), [self = shared_from_this()](error_code error, std::size_t) {
      if (!error) self->linger();
    });
  }

  tcp::socket socket_;
  Conversation conversation_;
  Next next_ = Next::read_more;
  std::unique_ptr<std::byte[]> input_;
  std::size_t input_size_;
  Bytes output_;
  std::shared_ptr<AsioConnections> connections_;
};

}  // namespace

AsioServer::Adopt calling_back(const ServeOptions& options, const Service& service,
                               const StopSignal& stop) {
  return [&](tcp::socket socket, const std::shared_ptr<AsioConnections>& connections) {
    AnySession session = service.open(peer_of(socket.native_handle()));
    std::make_shared<AsioConnection>(std::move(socket), std::move(session), stop,
                                     options.read_buffer_bytes, connections)
        ->read();
  };
}

}  // namespace serverlab
