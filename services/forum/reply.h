#pragma once

// The reply to the oldest unanswered request: a line.

#include "services/workload.h"

#include <string_view>

namespace serverlab::forum {

/// A reply other than a list has so many bytes at most: a message, or fewer.
constexpr std::size_t reply_bytes_max = 140;

/// A list that no workload's topics make: some other server's.
constexpr std::size_t list_bytes_max = std::size_t{1} << 20;

/// What `Client::check` says about input that begins with a reply.
/// @param bytes_max of a line without its ending; a longer one is no reply
/// @param is_right judges the line, and is called once for each
template <class IsRight>
Checked check_line(ByteView input, std::string_view ending, std::size_t bytes_max,
                   IsRight is_right) {
  const std::string_view text = text_of(input).substr(0, bytes_max + ending.size());
  const std::size_t size = text.find(ending);
  if (size == text.npos) {
    const bool endless = text.size() == bytes_max + ending.size();
    return {0, endless ? Verdict::protocol_error : Verdict::need_more};
  }
  const bool right = is_right(text.substr(0, size));
  if (!right) return {0, Verdict::wrong_content};
  return {size + ending.size(), Verdict::correct};
}

}  // namespace serverlab::forum
