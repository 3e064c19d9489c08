#include "services/forum/session.h"

#include "base/number.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace serverlab::forum {
namespace {

// A call appends no more than this and one short reply, so that small requests for much output
// cannot fill the memory.
constexpr std::size_t output_bytes_per_call = std::size_t{64} << 10;

constexpr std::string_view nul("\0", 1);

void append_number(Bytes& output, std::uint64_t number) {
  char digits[std::numeric_limits<std::uint64_t>::digits10 + 1];
  const char* end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  output.append(std::string_view(digits, end));
}

// An id with more digits than any topic has messages is like any other that is not there.
std::uint64_t id_of(std::string_view digits) {
  return number_of<std::uint64_t>(digits).value_or(std::numeric_limits<std::uint64_t>::max());
}

std::string_view cut(std::string_view text) { return text.substr(0, text_bytes_max); }

}  // namespace

Progress ForumSession::advance(ByteView input, Bytes& output) {
  const std::size_t output_bytes_max = output.size() + output_bytes_per_call;
  std::string_view rest = text_of(input);
  Progress progress;
  if (listing_) progress.next = go_on_listing(*listing_, output_bytes_max, output);
  while (progress.next == Next::read_more) {
    const auto line = first_line(rest, searched_);
    if (!line) {
      rest = without_end(rest);
      break;
    }
    searched_ = 0;
    rest.remove_prefix(line->bytes);
    ++progress.requests;
    progress.next = answer(*line, output_bytes_max, output);
    if (progress.next == Next::read_more && output.size() >= output_bytes_max) {
      progress.next = Next::flush;
    }
  }
  progress.consumed = input.size() - rest.size();
  return progress;
}

std::optional<ForumSession::Line> ForumSession::first_line(std::string_view text,
                                                           std::size_t searched) {
  const auto ends_line = [](char c) { return c == '\n' || c == '\0'; };
  const auto* const found = std::find_if(text.begin() + searched, text.end(), ends_line);
  if (found == text.end()) return std::nullopt;
  const auto bytes = static_cast<std::size_t>(found - text.begin()) + 1;
  std::string_view line = text.substr(0, bytes - 1);
  if (*found == '\0') return Line{line, nul, bytes};
  if (!line.ends_with('\r')) return Line{line, "\n", bytes};
  line.remove_suffix(1);
  return Line{line, "\r\n", bytes};
}

// What is to be kept of a line whose end has not come: nothing if it is too long already, apart
// from what may be the first half of its ending.
std::string_view ForumSession::without_end(std::string_view rest) {
  skipping_ |= rest.size() > line_bytes_max;
  if (skipping_) rest.remove_prefix(rest.size() - (rest.ends_with('\r') ? 1 : 0));
  searched_ = rest.size();
  return rest;
}

Next ForumSession::answer(const Line& line, std::size_t output_bytes_max, Bytes& output) {
  const bool too_long = std::exchange(skipping_, false) || line.bytes > line_bytes_max + 1;
  const Request request = too_long ? Request() : forum_->parse(line.text);
  const std::string_view topic = cut(request.topic);
  Next next = Next::read_more;
  switch (request.verb) {
    case Verb::post:
      if (const auto id = forum_->store.post(topic, cut(request.argument))) {
        append_number(output, *id);
      }
      break;
    case Verb::read: output.append(forum_->store.read(topic, id_of(request.argument))); break;
    case Verb::count: append_number(output, forum_->store.count(topic)); break;
    case Verb::list:
      listing_ending_ = line.ending;
      return go_on_listing(listing_.emplace(), output_bytes_max, output);
    case Verb::exit:
      output.append("TERMINATING");
      if (forum_->stop) forum_->stop();
      next = Next::close;
      break;
    case Verb::unknown: break;
  }
  output.append(line.ending);
  return next;
}

Next ForumSession::go_on_listing(Listing& listing, std::size_t output_bytes_max, Bytes& output) {
  if (!forum_->store.list(listing, output_bytes_max, output)) return Next::flush;
  output.append(listing_ending_);
  listing_.reset();
  return Next::read_more;
}

}  // namespace serverlab::forum
