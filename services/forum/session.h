#pragma once

// The forum's half of a conversation: exactly one line back for each line, in the same framing.

#include "services/forum/parser.h"
#include "services/forum/store.h"
#include "services/service.h"

#include <functional>
#include <memory>
#include <optional>

namespace serverlab::forum {

/// A line may have so many bytes before its ending; a longer one is answered as what is unknown.
/// The size of the receive buffer of the report's server.
constexpr std::size_t line_bytes_max = 65'535;

/// What the sessions of a forum share.
struct Forum {
  Forum(Locking locking, std::uint64_t capacity_bytes, Parse parser) :
      store(locking, capacity_bytes), parse(parser) {}

  Store store;
  Parse parse;
  std::function<void()> stop;  // ends the server; empty where EXIT only ends the connection
};

class ForumSession {
 public:
  explicit ForumSession(std::shared_ptr<Forum> forum) : forum_(std::move(forum)) {}

  Progress advance(ByteView input, Bytes& output);

 private:
  struct Line {
    std::string_view text;
    std::string_view ending;
    std::size_t bytes;  // of both
  };

  static std::optional<Line> first_line(std::string_view text, std::size_t searched);
  std::string_view without_end(std::string_view rest);
  Next answer(const Line& line, std::size_t output_bytes_max, Bytes& output);
  Next go_on_listing(Listing& listing, std::size_t output_bytes_max, Bytes& output);

  std::shared_ptr<Forum> forum_;
  std::size_t searched_ = 0;         // of the input that was left: so much holds no end of a line
  bool skipping_ = false;            // the line that has begun is too long
  std::optional<Listing> listing_;   // a list that is being replied,
  std::string_view listing_ending_;  // and how it ends
};
static_assert(Session<ForumSession>);

}  // namespace serverlab::forum
