#include "tests/services/feeding.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <stdexcept>

namespace serverlab {
namespace {

using Exchanges = std::span<const Exchange>;
using Chunks = std::vector<std::string>;

/// Feeds one session, as an engine would.
class Driver {
 public:
  explicit Driver(AnySession session, std::size_t replies_bytes_max = SIZE_MAX) :
      session_(std::move(session)), replies_bytes_max_(replies_bytes_max) {}

  void feed(std::string_view chunk) {
    if (closed_) return;
    unconsumed_ += chunk;
    Next next = advance();
    while (next == Next::flush && !has_said_enough()) next = advance();
    closed_ = next == Next::close;
  }

  bool has_said_enough() const { return output_.size() > replies_bytes_max_; }

  std::string_view replies() const { return text_of(output_.view()); }
  std::size_t unconsumed() const { return unconsumed_.size(); }
  bool closed() const { return closed_; }

 private:
  Next advance() {
    const std::size_t said_before = output_.size();
    const Progress progress = session_.advance(bytes_of(unconsumed_), output_);
    if (progress.consumed > unconsumed_.size()) {
      throw std::logic_error("it has consumed more than it was offered");
    }
    if (output_.size() < said_before) throw std::logic_error("it has taken back what it said");
    const bool is_silent = progress.consumed == 0 && output_.size() == said_before;
    silent_turns_ = progress.next == Next::flush && is_silent ? silent_turns_ + 1 : 0;
    if (silent_turns_ > silent_turns_max) throw std::logic_error("it goes on, and does nothing");
    unconsumed_.erase(0, progress.consumed);
    return progress.next;
  }

  AnySession session_;
  std::size_t replies_bytes_max_;
  std::string unconsumed_;
  Bytes output_;
  bool closed_ = false;
  static constexpr int silent_turns_max = 256;  // enough for a request of 65 536 keys
  int silent_turns_ = 0;
};

Chunks whole(Exchanges conversation) {
  Chunks chunks;
  for (const Exchange& exchange : conversation) chunks.push_back(exchange.input);
  return chunks;
}

Chunks oversized(Exchanges conversation) {
  std::string all;
  for (const Exchange& exchange : conversation) all += exchange.input;
  return {all};
}

Chunks by_bytes(Exchanges conversation) {
  const std::string all = oversized(conversation).front();
  Chunks chunks;
  for (const char byte : all) chunks.emplace_back(1, byte);
  return chunks;
}

Chunks glued(Exchanges conversation) {
  Chunks chunks;
  for (std::size_t i = 0; i < conversation.size(); ++i) {
    if (i % 2 == 0) chunks.emplace_back();
    chunks.back() += conversation[i].input;
  }
  return chunks;
}

Chunks with_a_tail(Exchanges conversation) {
  Chunks chunks;
  std::size_t begun = 0;  // how much of the request went with the one before
  for (std::size_t i = 0; i < conversation.size(); ++i) {
    chunks.push_back(conversation[i].input.substr(begun));
    if (i + 1 == conversation.size()) break;
    const std::string& next = conversation[i + 1].input;
    begun = (next.size() + 1) / 2;
    chunks.back() += next.substr(0, begun);
  }
  return chunks;
}

Chunks cut(Exchanges conversation) {
  Chunks chunks;
  for (const Exchange& exchange : conversation) {
    const std::size_t middle = exchange.input.size() / 2;
    chunks.push_back(exchange.input.substr(0, middle));
    chunks.push_back(exchange.input.substr(middle));
  }
  return chunks;
}

struct Feeding {
  std::string_view name;
  Chunks (*chunks)(Exchanges);
};

constexpr Feeding feedings[] = {
    {"whole", whole}, {"by bytes", by_bytes}, {"with a tail", with_a_tail},
    {"cut", cut},     {"glued", glued},       {"oversized", oversized},
};

std::string quoted(std::string_view text) {
  constexpr std::size_t shown_max = 200;
  return fmt::format("'{}'{}", text.substr(0, shown_max), text.size() > shown_max ? "…" : "");
}

/// What the session must have replied when it has had so many bytes of the conversation: all of the
/// replies to requests that it has had whole; the reply to the next one it may have begun.
struct Due {
  std::size_t bytes = 0;
  std::size_t bytes_at_most = 0;
  bool closed = false;
};

Due due_after(Exchanges conversation, std::size_t fed) {
  Due due;
  for (const Exchange& exchange : conversation) {
    due.bytes_at_most = due.bytes + exchange.output.size();
    if (fed < exchange.input.size()) return due;
    fed -= exchange.input.size();
    due.bytes = due.bytes_at_most;
    due.closed = exchange.closes;
    if (due.closed) return due;
  }
  return due;
}

// The first thing that is wrong, if anything is.
std::string fault_of(std::string_view feeding, const Chunks& chunks, const Open& open,
                     Exchanges conversation) {
  std::string all;
  for (const Exchange& exchange : conversation) all += exchange.output;
  const std::string_view expected = all;
  Driver driver(open());
  std::size_t fed = 0;
  std::size_t judged = 0;
  for (const std::string& chunk : chunks) {
    driver.feed(chunk);
    fed += chunk.size();
    const Due due = due_after(conversation, fed);
    const std::string_view replies = driver.replies();
    const bool complete = replies.size() >= due.bytes && replies.size() <= due.bytes_at_most;
    if (!complete || !expected.substr(judged).starts_with(replies.substr(judged))) {
      return fmt::format("{}: after {} bytes it has replied {}, not {}", feeding, fed,
                         quoted(replies.substr(judged)), quoted(expected.substr(judged)));
    }
    judged = replies.size();
    if (driver.closed() != due.closed) {
      return fmt::format("{}: after {} bytes it has {}closed", feeding, fed,
                         driver.closed() ? "" : "not ");
    }
  }
  return {};
}

// The same of a conversation in two chunks, wherever it is cut.
std::string fault_in_two(const Open& open, Exchanges conversation) {
  constexpr std::size_t bytes_max = 1'000;  // of those that can be cut everywhere in little time
  const std::string all = oversized(conversation).front();
  for (std::size_t cut = 1; cut < all.size() && all.size() <= bytes_max; ++cut) {
    std::string fault =
        fault_of("in two", {all.substr(0, cut), all.substr(cut)}, open, conversation);
    if (!fault.empty()) return fault;
  }
  return {};
}

}  // namespace

std::vector<std::string> faults(const Open& open, const std::vector<Exchange>& conversation) {
  std::vector<std::string> found;
  for (const Feeding& feeding : feedings) {
    found.push_back(fault_of(feeding.name, feeding.chunks(conversation), open, conversation));
  }
  found.push_back(fault_in_two(open, conversation));
  std::erase(found, "");
  return found;
}

std::vector<std::string> faults_without_end(const Open& open, std::string_view chunk,
                                            std::size_t limit_bytes) {
  Driver driver(open());
  for (std::size_t fed = 0; fed <= 2 * limit_bytes && !driver.closed(); fed += chunk.size()) {
    driver.feed(chunk);
    if (driver.unconsumed() > limit_bytes) {
      return {fmt::format("after {} bytes it has left {} of them unconsumed, and not closed",
                          fed + chunk.size(), driver.unconsumed())};
    }
  }
  return {};
}

Said said(AnySession session, const Chunks& chunks, std::size_t replies_bytes_max) {
  Driver driver(std::move(session), replies_bytes_max);
  for (const std::string& chunk : chunks) {
    driver.feed(chunk);
    if (driver.closed() || driver.has_said_enough()) break;
  }
  return {std::string(driver.replies().substr(0, replies_bytes_max)), driver.closed()};
}

}  // namespace serverlab
