#include "engines/loops/shared_epoll.h"

#include "tests/engines/running_engine.h"
#include "tests/engines/sessions.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

// A client may be served, and stop the server, before the first thread says where it listens.
TEST(SharedEpoll, SaysWhereItListensThoughItHasStoppedListening) {
  std::string said;
  ServeOptions options = default_options();
  options.announce = [&](const Address& address) { said = address.to_string(); };
  const Service service = {.open = [](const Service::Peer&) { return echoing(); }};
  const StopSignal stop;
  stop.raise();
  SharedEpoll shared(options, service, stop);
  Scratch scratch(options.read_buffer_bytes);
  while (shared.handle(shared.epoll().wait_for_one(), scratch)) {
  }
  shared.announce();
  EXPECT_TRUE(said.starts_with("127.0.0.1:")) << said;
}

}  // namespace
}  // namespace serverlab
