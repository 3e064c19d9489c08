#include "services/forum/poster.h"

#include "base/number.h"
#include "services/forum/reply.h"
#include "services/forum/stamp.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace serverlab::forum {

std::string topic_name(const WorkloadOptions& options, std::uint32_t poster) {
  return options.share_topic ? "@Topic" : "@Topic" + std::to_string(poster);
}

Poster::Poster(const WorkloadOptions& options, std::uint32_t number) :
    options_(options), author_(number), topic_(topic_name(options, number)) {
  if (!options.validate) base_ = 0;
}

std::uint8_t Poster::request(Bytes& output) {
  if (!base_) {
    ++counts_pending_;
    output.append("COUNT");
    output.append(topic_);
    output.append(options_.ending);
    return std::to_underlying(RequestClass::count);
  }
  write_message({.author = author_, .number = *base_ + posted_++}, options_.message_bytes, text_);
  output.append("POST");
  output.append(topic_);
  output.append("#");
  output.append(text_);
  output.append(options_.ending);
  return std::to_underlying(RequestClass::post);
}

Checked Poster::check(ByteView input) {
  return check_line(input, options_.ending, reply_bytes_max,
                    [this](std::string_view line) { return is_right(line); });
}

bool Poster::is_right(std::string_view line) {
  if (!options_.validate) return true;
  const auto number = number_of<std::uint64_t>(line);
  expected_.reset();
  if (!number) return false;
  return counts_pending_ > 0 ? is_right_count(*number) : is_right_id(*number);
}

bool Poster::is_right_count(std::uint64_t count) {
  --counts_pending_;
  if (!base_) base_ = count;
  expected_ = base_;
  return options_.share_topic ? count >= *base_ : count == *base_;
}

bool Poster::is_right_id(std::uint64_t id) {
  const std::uint64_t number = base_.value_or(0) + answered_++;
  const std::uint64_t lowest = std::max(number, std::exchange(lowest_next_, id + 1));
  expected_ = options_.share_topic ? lowest : number;
  return options_.share_topic ? id >= lowest : id == number;
}

ExpectedReply Poster::expected() const {
  if (!expected_) return {.text = "a number"};
  const std::string_view least = options_.share_topic ? "at least " : "";
  return {.text = fmt::format("the number {}{}", least, *expected_)};
}

}  // namespace serverlab::forum
