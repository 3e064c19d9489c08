#include "tests/engines/running_engine.h"

#include "net/socket_options.h"
#include "tests/net/loopback.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace serverlab {

ServeOptions default_options() {
  constexpr int cpus = 2;
  Settings settings;
  for (const auto rows : {serve_settings(), engine_settings(), socket_settings()}) {
    settings.add(rows);
  }
  return serve_options(settings, cpus);
}

void PrintTo(const Engine& engine, std::ostream* out) { *out << engine.name; }

std::string test_name(std::string_view engine) {
  std::string name(engine);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string test_name(const Engine& engine) { return test_name(engine.name); }

RunningEngine::RunningEngine(const Engine& engine, std::function<AnySession()> open,
                             ServeOptions options, std::function<int(ByteView)> urgency) :
    options_(std::move(options)),
    service_{.open = [open = std::move(open)](const Service::Peer&) { return open(); },
             .urgency = std::move(urgency)} {
  std::promise<Address> announced;
  options_.announce = [&](const Address& address) { announced.set_value(address); };
  thread_ = std::jthread([this, &engine] {
    try {
      engine.serve(options_, service_, stop_);
    } catch (const std::exception& error) {
      ADD_FAILURE() << engine.name << ": " << error.what();
    }
  });
  std::future<Address> address = announced.get_future();
  if (address.wait_for(patience) != std::future_status::ready) {
    throw std::runtime_error("the engine has announced no address");
  }
  address_ = address.get();
}

}  // namespace serverlab
