#pragma once

// A TCP endpoint, IPv4 or IPv6: "127.0.0.1:7000", "[::1]:7000", "localhost:http".

#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>

namespace serverlab {

/// A text that is no address; a sentence with the text.
struct BadAddress : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Address {
 public:
  Address() = default;

  /// Resolves a name; takes the first address the resolver gives.
  /// @throws BadAddress, or std::runtime_error if there is no such name: a sentence with the text
  static Address parse(std::string_view text);

  /// The address a socket is bound to.
  /// @throws std::system_error
  static Address of_local(int fd);

  /// The address of a connected socket's other end; unknown if it has gone.
  static Address of_peer(int fd);

  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t raw_size() const { return size_; }
  int family() const { return storage_.ss_family; }
  std::string to_string() const;

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

}  // namespace serverlab
