#pragma once

// The client half of a service: it makes requests and checks the replies, and is as pure as a
// session.

#include "base/bytes.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>

namespace serverlab {

enum class Verdict {
  need_more,       // the reply is not complete yet; what was consumed is right so far
  correct,         // the reply is complete and right
  wrong_content,   // a reply, but not the right one
  protocol_error,  // not a reply at all
};

struct Checked {
  std::size_t consumed = 0;
  Verdict verdict = Verdict::need_more;
};

/// One connection's requests and what is expected back. Replies come in the order of the requests.
template <class C>
concept Client = std::move_constructible<C> && requires(C client, ByteView input, Bytes& output) {
  client.request(output);  // appends the next request
  {
    client.check(input)
  } -> std::same_as<Checked>;  // examines the reply to the oldest unanswered request
};

class AnyClient {
 public:
  template <class C>
    requires(!std::same_as<C, AnyClient> && Client<C>)
  AnyClient(C client) : held_(std::make_unique<Held<C>>(std::move(client))) {}

  void request(Bytes& output) { held_->request(output); }
  Checked check(ByteView input) { return held_->check(input); }

 private:
  struct Erased {
    virtual ~Erased() = default;
    virtual void request(Bytes& output) = 0;
    virtual Checked check(ByteView input) = 0;
  };
  template <Client C>
  struct Held final : Erased {
    explicit Held(C held) : client(std::move(held)) {}
    void request(Bytes& output) override { client.request(output); }
    Checked check(ByteView input) override { return client.check(input); }
    C client;
  };
  std::unique_ptr<Erased> held_;
};

/// Opens the client half of each connection, from any thread.
/// @param connection numbers the connection, so that no two send the same bytes
struct Workload {
  std::function<AnyClient(std::uint32_t connection)> open;
};

}  // namespace serverlab
