#pragma once

// What is served. A session is one connection's conversation: bytes in, bytes out, and nothing
// else: no socket, no thread, no clock. That is why every protocol exists once, whatever the
// number of engines.

#include "base/bytes.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace serverlab {

enum class Next {
  read_more,  // wait for more input
  flush,      // let the output, if any, go out, and others have a turn; then advance again, even
              // without input: there is more to do
  close,      // send the output, then end the connection
};

struct Progress {
  std::size_t consumed = 0;
  Next next = Next::read_more;
  std::uint32_t requests = 0;  // answered by this call
};

/// A session may consume less than it is offered; it is offered the rest again, with whatever came
/// after it, and reads on from where it stopped: the work is proportional to the bytes that arrive,
/// in whatever pieces (tests/services/parsing_work_test.cpp). One thread at a time advances a
/// session, though not always the same one. `output` may hold earlier replies: only append.
template <class S>
concept Session = requires(S session, ByteView input, Bytes& output) {
  { session.advance(input, output) } -> std::same_as<Progress>;
} && std::move_constructible<S>;

/// A session of any service: one indirect call per chunk of input, nanoseconds beside the
/// microseconds of system calls.
class AnySession {
 public:
  template <class S>
    requires(!std::same_as<S, AnySession> && Session<S>)
  AnySession(S session) :
      advance_([session = std::move(session)](ByteView input, Bytes& output) mutable {
        return session.advance(input, output);
      }) {}

  Progress advance(ByteView input, Bytes& output) { return advance_(input, output); }

 private:
  std::move_only_function<Progress(ByteView, Bytes&)> advance_;
};

/// What a service counted, by name: waits for its locks, keys it holds.
using Figures = std::vector<std::pair<std::string_view, double>>;

/// One running service.
struct Service {
  /// The other end of a connection, as far as a service may know it.
  struct Peer {
    /// Its address, as text. The kernel is asked only if this is called.
    std::function<std::string()> address = [] { return std::string("unknown"); };
  };

  /// Opens a session for a connection, from any thread.
  /// @param peer valid during the call
  std::function<AnySession(const Peer& peer)> open;

  /// What there is to tell at the end; called when no session is being advanced. May be empty.
  std::function<Figures()> figures;

  /// Takes what ends the whole server, which any session may call from any thread. To be called
  /// before one is opened; empty where no client can end the server.
  std::function<void(std::function<void()> stop)> set_stop;

  /// How urgent the request is with which some input begins, as far as it has come: the higher
  /// goes first where there is a choice. From any thread; empty where all are alike.
  std::function<int(ByteView input)> urgency;

  /// Its sessions may only be advanced by the thread that has opened them.
  bool thread_bound = false;
};

}  // namespace serverlab
