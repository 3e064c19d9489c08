#include "services/http/client.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace serverlab {
namespace {

bool has_no_content(int status) {
  constexpr int no_content = 204;
  constexpr int not_modified = 304;
  return status == no_content || status == not_modified;
}

/// @param line of a chunk, complete: perhaps the end of the data before it, and the size first
std::optional<std::uint64_t> chunk_bytes(std::string_view line) {
  constexpr int hexadecimal = 16;
  if (line.starts_with("\r\n")) line.remove_prefix(2);
  std::uint64_t size = 0;
  const auto [rest, error] = std::from_chars(line.begin(), line.end(), size, hexadecimal);
  if (error != std::errc()) return std::nullopt;
  return size;
}

}  // namespace

Checked HttpClient::check(ByteView input) {
  std::size_t consumed = 0;
  do {
    const Checked part = check_awaited(text_of(input.subspan(consumed)));
    consumed += part.consumed;
    if (part.verdict != Verdict::correct) return {consumed, part.verdict};
  } while (awaited_ != Awaited::end);
  awaited_ = Awaited::head;
  return {consumed, Verdict::correct};
}

ExpectedReply HttpClient::expected() const {
  const std::optional<ByteView> next = content_.next();
  if (awaited_ == Awaited::content && next) {
    return {.text = std::string(text_of(*next)), .is_exact = true};
  }
  const std::string reply = fmt::format("an HTTP reply with status {}", load_->status);
  switch (load_->check) {
    case HttpCheck::exact:
      return {.text = fmt::format("{} and {} B", reply, load_->content.size())};
    case HttpCheck::same: return {.text = reply + ", the same as the first"};
    case HttpCheck::length: return {.text = reply + ", as long as the first"};
    case HttpCheck::status: break;
  }
  return {.text = reply};
}

Checked HttpClient::check_awaited(std::string_view input) {
  switch (awaited_) {
    case Awaited::head: return check_head(input);
    case Awaited::chunk_line: return check_chunk_line(input);
    case Awaited::content: return check_content(input);
    case Awaited::end: break;
  }
  return {};
}

Checked HttpClient::check_head(std::string_view input) {
  constexpr int first_final_status = 200;
  ReceivedHead head;
  switch (read_received_head(input, head)) {
    case ScanResult::incomplete: return {0, Verdict::need_more};
    case ScanResult::complete: break;
    case ScanResult::malformed:
    case ScanResult::too_long: return {0, Verdict::protocol_error};
  }
  // An interim reply, such as 103 Early Hints: the one that counts is still to come.
  if (head.status < first_final_status) return {head.size, Verdict::correct};
  if (head.status != load_->status) return {0, Verdict::wrong_content};
  if (load_->is_of_head || has_no_content(head.status)) {
    awaited_ = Awaited::end;
    return {head.size, Verdict::correct};
  }
  if (head.framing == ReceivedHead::Framing::none) return {0, Verdict::protocol_error};
  is_in_chunks_ = head.framing == ReceivedHead::Framing::chunks;
  left_bytes_ = head.content_bytes;
  if (!content_.begin(is_in_chunks_ ? std::nullopt : std::optional(left_bytes_))) {
    return {0, Verdict::wrong_content};
  }
  awaited_ = is_in_chunks_ ? Awaited::chunk_line : Awaited::content;
  chunk_line_ = ChunkScan(ChunkScan::Begin::body);
  return {head.size, Verdict::correct};
}

Checked HttpClient::check_chunk_line(std::string_view input) {
  switch (chunk_line_.scan(input)) {
    case ScanResult::incomplete: return {0, Verdict::need_more};
    case ScanResult::complete: break;
    case ScanResult::malformed:
    case ScanResult::too_long: return {0, Verdict::protocol_error};
  }
  const std::size_t size = chunk_line_.size();
  const std::optional<std::uint64_t> bytes = chunk_bytes(input.substr(0, size));
  if (!bytes) return {0, Verdict::protocol_error};
  if (*bytes == 0 && !content_.end()) return {0, Verdict::wrong_content};
  left_bytes_ = *bytes;
  awaited_ = left_bytes_ == 0 ? Awaited::end : Awaited::content;
  return {size, Verdict::correct};
}

Checked HttpClient::check_content(std::string_view input) {
  const auto piece = input.substr(0, std::min<std::uint64_t>(left_bytes_, input.size()));
  const std::size_t right = content_.take(bytes_of(piece));
  left_bytes_ -= right;
  if (right < piece.size()) return {right, Verdict::wrong_content};
  if (left_bytes_ > 0) return {right, Verdict::need_more};
  if (is_in_chunks_) {
    chunk_line_ = ChunkScan(ChunkScan::Begin::after_data);
    awaited_ = Awaited::chunk_line;
    return {right, Verdict::correct};
  }
  if (!content_.end()) return {right, Verdict::wrong_content};
  awaited_ = Awaited::end;
  return {right, Verdict::correct};
}

}  // namespace serverlab
