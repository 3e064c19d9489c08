#include "engines/loops/asio_server.h"

#include "base/syscall.h"
#include "engines/connections/accepting.h"
#include "engines/connections/conversation.h"

#include <unistd.h>

namespace serverlab {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

/// Lives as long as an operation of its is under way: each callback holds a share of it.
class AsioConnection : public std::enable_shared_from_this<AsioConnection> {
 public:
  AsioConnection(tcp::socket socket, AnySession session, std::size_t read_buffer_bytes,
                 std::shared_ptr<AsioConnections> connections) :
      socket_(std::move(socket)),
      conversation_(std::move(session)),
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
                              counters().bytes_in += size;
                              self->advance({self->input_.get(), size});
                            });
  }

 private:
  boost::asio::mutable_buffer input() { return {input_.get(), input_size_}; }

  void advance(ByteView arrived) {
    next_ = conversation_.advance(arrived, output_);
    if (output_.empty()) return go_on();
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

AsioServer::AsioServer(boost::asio::io_context& context, const ServeOptions& options,
                       const Service& service, const StopSignal& stop,
                       std::function<void()> when_closed) :
    context_(context),
    strand_(boost::asio::make_strand(context)),
    options_(options),
    service_(service),
    connections_(std::make_shared<AsioConnections>(context)),
    acceptor_(asio_acceptor(strand_, options)),
    stop_(strand_, check(::dup(stop.fd()), "dup")),
    timer_(strand_),
    when_closed_(std::move(when_closed)) {
  options.announce(Address::of_local(acceptor_.native_handle()));
  stop_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                   [this](error_code) { drain(); });
  accept();
}

void AsioServer::accept() {
  accepting_ = true;
  acceptor_.async_accept(context_, [this](error_code error, tcp::socket socket) {
    accepting_ = false;
    if (!error) adopt(std::move(socket));
    if (!acceptor_.is_open()) return connections_->drain();
    error == boost::asio::error::no_descriptors ? accept_later() : accept();
  });
}

void AsioServer::adopt(tcp::socket socket) {
  AnySession session = service_.open(socket.native_handle());
  std::make_shared<AsioConnection>(std::move(socket), std::move(session),
                                   options_.read_buffer_bytes, connections_)
      ->read();
}

void AsioServer::accept_later() {
  timer_.expires_after(accept_rest);
  timer_.async_wait([this](error_code error) {
    if (!error && acceptor_.is_open()) accept();
  });
}

void AsioServer::drain() {
  accept_waiting_and_close(acceptor_, context_,
                           [this](tcp::socket socket) { adopt(std::move(socket)); });
  when_closed_();
  timer_.expires_after(options_.drain_limit);
  timer_.async_wait([this](error_code) { context_.stop(); });
  if (!accepting_) connections_->drain();  // else it may have got one more, which it hands over now
}

}  // namespace serverlab
