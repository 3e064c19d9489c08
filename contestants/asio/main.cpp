// The asynchronous echo server of Asio's examples, with Nagle's algorithm off.

#include <array>
#include <boost/asio.hpp>
#include <memory>
#include <string>
#include <utility>

using boost::asio::ip::tcp;
using boost::system::error_code;

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(tcp::socket socket) : socket_(std::move(socket)) {}

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
    if (!error) {
      socket.set_option(tcp::no_delay(true));
      std::make_shared<Session>(std::move(socket))->read();
    }
    accept(acceptor);
  });
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  boost::asio::io_context context(1);
  const auto port = static_cast<unsigned short>(std::stoi(argv[2]));
  tcp::acceptor acceptor(context, {boost::asio::ip::make_address(argv[1]), port});
  accept(acceptor);
  context.run();
}
