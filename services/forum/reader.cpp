#include "services/forum/reader.h"

#include "base/number.h"
#include "services/forum/reply.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace serverlab::forum {
namespace {

constexpr std::array turns = {RequestClass::read, RequestClass::count, RequestClass::list,
                              RequestClass::unknown};

// The order of so many authors' messages is checked.
constexpr std::uint32_t authors_max = 1 << 16;

}  // namespace

Reader::Reader(const WorkloadOptions& options, std::uint32_t poster) :
    options_(options), poster_(poster), topic_(topic_name(options, poster)) {}

RequestClass Reader::class_of(std::uint64_t request) const {
  return options_.ask_all ? turns[request % turns.size()] : RequestClass::read;
}

std::uint8_t Reader::request(Bytes& output) {
  const RequestClass asked = class_of(asked_++);
  switch (asked) {
    case RequestClass::read: {
      const fmt::format_int id(options_.walk ? walk_.ask() : 0);
      output.append("READ");
      output.append(topic_);
      output.append("#");
      output.append(std::string_view(id.data(), id.size()));
      break;
    }
    case RequestClass::count:
      output.append("COUNT");
      output.append(topic_);
      break;
    case RequestClass::list: output.append("LIST"); break;
    case RequestClass::unknown: output.append("AAA"); break;
    case RequestClass::post: std::unreachable();
  }
  output.append(options_.ending);
  return std::to_underlying(asked);
}

Checked Reader::check(ByteView input) {
  const RequestClass asked = class_of(answered_);
  return check_line(input, options_.ending,
                    asked == RequestClass::list ? list_bytes_max : reply_bytes_max,
                    [this, asked](std::string_view line) {
                      ++answered_;
                      return is_right(asked, line) || !options_.validate;
                    });
}

ExpectedReply Reader::expected() const {
  switch (class_of(answered_ - std::min<std::uint64_t>(1, answered_))) {
    case RequestClass::read:
      return {.text = fmt::format("a message of {} as it was posted, with its stamp", topic_)};
    case RequestClass::count: return {.text = fmt::format("a number of at least {}", known_)};
    case RequestClass::list: return {.text = fmt::format("topics, among them {}", topic_)};
    case RequestClass::unknown: return {.text = "a blank line"};
    case RequestClass::post: break;
  }
  std::unreachable();
}

bool Reader::is_right(RequestClass asked, std::string_view line) {
  switch (asked) {
    case RequestClass::read: return is_right_read(line);
    case RequestClass::count: return is_right_count(line);
    case RequestClass::list: return is_right_list(line);
    case RequestClass::unknown: return line.empty();
    case RequestClass::post: break;
  }
  std::unreachable();
}

bool Reader::is_right_read(std::string_view line) {
  const std::uint64_t id = options_.walk ? walk_.answer() : 0;
  if (line.empty()) {
    if (options_.walk) walk_.turn_back();
    return id >= known_;
  }
  known_ = std::max(known_, id + 1);
  return !options_.validate || is_right_message(id, line);
}

bool Reader::is_right_message(std::uint64_t id, std::string_view text) {
  const auto stamp = stamp_of(text, options_.message_bytes, scratch_);
  if (!stamp) return false;
  if (!options_.share_topic) return *stamp == Stamp{.author = poster_, .number = id};
  return stamp->number <= id && agrees_with_earlier({.id = id, .stamp = *stamp});
}

bool Reader::agrees_with_earlier(const Read& read) {
  if (read.id == 0 && first_.value_or(read.stamp) != read.stamp) return false;
  if (read.id == 0) first_ = read.stamp;
  if (read.stamp.author >= authors_max) return true;
  if (read.stamp.author >= last_of_.size()) last_of_.resize(read.stamp.author + 1);
  const Read last = std::exchange(last_of_[read.stamp.author], read).value_or(read);
  return (read.id <=> last.id) == (read.stamp.number <=> last.stamp.number);
}

bool Reader::is_right_count(std::string_view line) {
  const auto count = number_of<std::uint64_t>(line);
  return count && *count >= std::exchange(known_, std::max(known_, *count));
}

// The topic is among those listed once a message of it is known.
bool Reader::is_right_list(std::string_view line) const {
  if (line.empty()) return known_ == 0;
  bool found = known_ == 0;
  while (true) {
    const std::size_t separator = line.find('#');
    const std::string_view topic = line.substr(0, separator);
    if (!topic.starts_with('@')) return false;
    found |= topic == topic_;
    if (separator == line.npos) return found;
    line.remove_prefix(separator + 1);
  }
}

}  // namespace serverlab::forum
