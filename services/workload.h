#pragma once

// The client half of a service: it makes requests and checks the replies, and is as pure as a
// session.

#include "base/bytes.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace serverlab {

enum class Verdict {
  need_more,       // the reply is not complete yet; what was consumed is right so far
  correct,         // the reply is complete and right
  wrong_content,   // a reply, but not the right one; what was consumed before it is right
  protocol_error,  // not a reply at all; the same
};

struct Checked {
  std::size_t consumed = 0;
  Verdict verdict = Verdict::need_more;
};

/// What was to come where a check failed, for people to read.
struct ExpectedReply {
  std::string text;       // the bytes; or words about them, where several replies would be right
  bool is_exact = false;  // it is the bytes, or the first of them
};

/// Into how many classes a workload may divide its requests; each has a latency of its own.
constexpr std::size_t classes_max = 6;

/// One connection's requests and what is expected back. Replies come in the order of the requests.
template <class C>
concept Client = std::move_constructible<C> && requires(C client, ByteView input, Bytes& output) {
  // Appends the next request. Returns its class: an index into Workload::classes.
  { client.request(output) } -> std::same_as<std::uint8_t>;
  // Examines the reply to the oldest unanswered request.
  { client.check(input) } -> std::same_as<Checked>;
  // After a check that failed: what was to follow the bytes that it consumed.
  { client.expected() } -> std::same_as<ExpectedReply>;
};

class AnyClient {
 public:
  template <class C>
    requires(!std::same_as<C, AnyClient> && Client<C>)
  AnyClient(C client) : held_(std::make_unique<Held<C>>(std::move(client))) {}

  std::uint8_t request(Bytes& output) { return held_->request(output); }
  Checked check(ByteView input) { return held_->check(input); }
  ExpectedReply expected() const { return held_->expected(); }

 private:
  struct Erased {
    virtual ~Erased() = default;
    virtual std::uint8_t request(Bytes& output) = 0;
    virtual Checked check(ByteView input) = 0;
    virtual ExpectedReply expected() const = 0;
  };
  template <Client C>
  struct Held final : Erased {
    explicit Held(C held) : client(std::move(held)) {}
    std::uint8_t request(Bytes& output) override { return client.request(output); }
    Checked check(ByteView input) override { return client.check(input); }
    ExpectedReply expected() const override { return client.expected(); }
    C client;
  };
  std::unique_ptr<Erased> held_;
};

/// Opens the client half of each connection, from any thread.
/// @param connection numbers the connections to a server, so that no two send the same bytes
struct Workload {
  std::function<AnyClient(std::uint32_t connection)> open;

  /// The classes of its requests, where they differ in what they cost: at most `classes_max`.
  std::vector<std::string_view> classes;
};

}  // namespace serverlab
