// An echo server as Asio's own examples write it: one io_context, a callback for each operation. It
// prints the `listening` event of serverlab-server, and serves until it is killed.

#include <array>
#include <boost/asio.hpp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <netinet/tcp.h>
#include <utility>

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  explicit Connection(tcp::socket socket) : socket_(std::move(socket)) {}

  void read() {
    socket_.async_read_some(boost::asio::buffer(buffer_),
                            [self = shared_from_this()](error_code error, std::size_t got) {
                              if (!error) self->write(got);
                            });
  }

 private:
  void write(std::size_t size) {
    boost::asio::async_write(socket_, boost::asio::buffer(buffer_.data(), size),
                             [self = shared_from_this()](error_code error, std::size_t) {
                               if (!error) self->read();
                             });
  }

  tcp::socket socket_;
  std::array<char, 64 << 10> buffer_;
};

void accept(tcp::acceptor& acceptor) {
  acceptor.async_accept([&acceptor](error_code error, tcp::socket socket) {
    if (error) return;
    socket.set_option(tcp::no_delay(true));
    std::make_shared<Connection>(std::move(socket))->read();
    accept(acceptor);
  });
}

}  // namespace

int main() {
  boost::asio::io_context context(1);
  tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), 0});
  // What all peers set, so that the kernel does the same for each.
  ::setsockopt(acceptor.native_handle(), IPPROTO_TCP, TCP_CONGESTION, "reno", std::strlen("reno"));
  std::printf("{\"event\":\"listening\",\"address\":\"127.0.0.1:%d\"}\n",
              acceptor.local_endpoint().port());
  std::fflush(stdout);
  accept(acceptor);
  context.run();
}
