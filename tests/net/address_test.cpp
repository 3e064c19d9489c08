// Which texts are addresses, and what is said of those that are not.

#include "net/address.h"

#include "net/listener.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netdb.h>

namespace serverlab {
namespace {

std::string complaint(std::string_view text) {
  try {
    return fmt::format("'{}' was read as {}", text, Address::parse(text).to_string());
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(Address, IsReadAndWrittenAlike) {
  for (const auto* text :
       {"127.0.0.1:7000", "0.0.0.0:0", "127.9.8.7:65535", "[::1]:7000", "[::]:1"}) {
    EXPECT_EQ(Address::parse(text).to_string(), text);
  }
}

TEST(Address, KnowsItsFamily) {
  EXPECT_EQ(Address::parse("127.0.0.1:1").family(), AF_INET);
  EXPECT_EQ(Address::parse("[::1]:1").family(), AF_INET6);
}

TEST(Address, ResolvesNamesOfHosts) {
  const std::string address = Address::parse("localhost:80").to_string();
  EXPECT_TRUE(address == "127.0.0.1:80" || address == "[::1]:80") << address;
}

TEST(Address, ResolvesNamesOfPorts) {
  if (getservbyname("http", "tcp") == nullptr) GTEST_SKIP() << "no names of ports: /etc/services";
  const std::string address = Address::parse("localhost:http").to_string();
  EXPECT_TRUE(address == "127.0.0.1:80" || address == "[::1]:80") << address;
}

TEST(Address, OfASocketIsTheOneItIsBoundTo) {
  const Listener listener(Address::parse("127.0.0.3:0"), {});
  const std::string bound = listener.address().to_string();
  EXPECT_TRUE(bound.starts_with("127.0.0.3:")) << bound;
  EXPECT_NE(bound, "127.0.0.3:0");
}

TEST(Address, SaysOfABadTextWhatAnAddressLooksLike) {
  for (const auto* text : {"", "7000", "localhost", "127.0.0.1", "127.0.0.1:", ":7000", "::1:7000",
                           "[::1]", "[]:7000", ":"}) {
    EXPECT_EQ(
        complaint(text),
        fmt::format("'{}' is not an address such as 127.0.0.1:7000, localhost:7000 or [::1]:7000",
                    text));
  }
}

TEST(Address, SaysOfAHostOrAPortThatIsNoneThatItCannotBeResolved) {
  for (const auto* text : {"999.0.0.1:80", "host.invalid:80", "127.0.0.1:no-such-port",
                           "127.0.0.1:-1", "[::g]:80", "[127.0.0.1:80"}) {
    const std::string said = complaint(text);
    EXPECT_TRUE(said.starts_with(fmt::format("cannot resolve '{}': ", text))) << said;
  }
}

TEST(Address, HasNoPortAbove65535) {
  for (const auto* text : {"127.0.0.1:65536", "127.0.0.1:70000", "[::1]:99999"}) {
    EXPECT_THROW(Address::parse(text), BadAddress) << complaint(text);
  }
}

}  // namespace
}  // namespace serverlab
