#include "net/address.h"

#include "base/syscall.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <netdb.h>

namespace serverlab {
namespace {

struct HostPort {
  std::string host;
  std::string port;
};

// The resolver of some systems takes a port's name with a line's end in it.
bool is_visible(unsigned char c) { return c > ' ' && c != '\x7f'; }

HostPort split(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  const bool bracketed =
      text.starts_with('[') && colon != text.npos && colon > 0 && text[colon - 1] == ']';
  std::string_view host = text.substr(0, colon);
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (!std::ranges::all_of(text, is_visible) || colon == text.npos || colon + 1 == text.size() ||
      host.empty() || (!bracketed && host.contains(':'))) {
    throw BadAddress(fmt::format(
        "'{}' is not an address such as 127.0.0.1:7000, localhost:7000 or [::1]:7000", text));
  }
  const std::string_view port = text.substr(colon + 1);
  // The resolver takes any number, and keeps its last 16 bits.
  unsigned number = 0;
  const auto [end, error] = std::from_chars(port.begin(), port.end(), number);
  if (end == port.end() && (error != std::errc() || number > UINT16_MAX)) {
    throw BadAddress(fmt::format("'{}': there is no port above {}", text, UINT16_MAX));
  }
  return {std::string(host), std::string(port)};
}

}  // namespace

Address Address::parse(std::string_view text) {
  const auto [host, port] = split(text);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) {
    throw std::runtime_error(fmt::format("cannot resolve '{}': {}", text, ::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  Address address;
  std::memcpy(&address.storage_, found->ai_addr, found->ai_addrlen);
  address.size_ = found->ai_addrlen;
  return address;
}

Address Address::of_local(int fd) {
  Address address;
  address.size_ = sizeof address.storage_;
  check(::getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage_), &address.size_),
        "getsockname");
  return address;
}

Address Address::of_peer(int fd) {
  Address address;
  address.size_ = sizeof address.storage_;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address.storage_), &address.size_) < 0) {
    address.size_ = 0;
  }
  return address;
}

std::string Address::to_string() const {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  const int error = ::getnameinfo(raw(), size_, host.data(), host.size(), port.data(), port.size(),
                                  NI_NUMERICHOST | NI_NUMERICSERV);
  if (error != 0) return "unknown";
  const bool bracketed = family() == AF_INET6;
  return fmt::format("{}{}{}:{}", bracketed ? "[" : "", host.data(), bracketed ? "]" : "",
                     port.data());
}

}  // namespace serverlab
