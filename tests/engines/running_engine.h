#pragma once

// An engine that serves on a thread of this process until it is stopped, or goes out of scope.

#include "engines/engine.h"
#include "net/stop_signal.h"

#include <future>
#include <iosfwd>
#include <string>
#include <string_view>
#include <thread>

namespace serverlab {

/// The terms of a server that is given no settings at all; listens on a free port of 127.0.0.1.
ServeOptions default_options();

/// How GoogleTest prints an engine: by its name.
void PrintTo(const Engine& engine, std::ostream* out);

/// An engine's name as GoogleTest takes it as part of a test's: with underscores for dashes.
std::string test_name(std::string_view engine);
std::string test_name(const Engine& engine);

/// Names the tests of a suite whose parameter is an engine, or an engine's name.
inline constexpr auto by_engine = [](const auto& info) { return test_name(info.param); };

class RunningEngine {
 public:
  /// Returns when connections are being accepted.
  RunningEngine(const Engine& engine, std::function<AnySession()> open,
                ServeOptions options = default_options(),
                std::function<int(ByteView)> urgency = nullptr);
  RunningEngine(const RunningEngine&) = delete;
  RunningEngine& operator=(const RunningEngine&) = delete;
  ~RunningEngine() { stop(); }

  const Address& address() const { return address_; }

  /// Asks for a stop, and does not wait.
  void ask_to_stop() const { stop_.raise(); }

  /// Asks for a stop and waits until it has come about.
  void stop() {
    ask_to_stop();
    if (thread_.joinable()) thread_.join();
  }

 private:
  ServeOptions options_;
  Service service_;
  StopSignal stop_;
  Address address_;
  std::jthread thread_;
};

}  // namespace serverlab
