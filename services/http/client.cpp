#include "services/http/client.h"

#include "base/number.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace serverlab {
namespace {

constexpr std::size_t head_bytes_max = 16 << 10;
constexpr std::string_view blank = "\r\n";

constexpr char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// @param name in small letters
bool is_named(std::string_view field, std::string_view name) {
  return std::ranges::equal(field, name, {}, lower);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

/// The length that the fields tell, nothing unless exactly one does.
std::optional<std::uint64_t> content_length(std::string_view fields) {
  std::optional<std::uint64_t> length;
  while (!fields.empty()) {
    const std::string_view field = fields.substr(0, fields.find(blank));
    fields.remove_prefix(field.size() + blank.size());
    const std::size_t colon = field.find(':');
    if (colon == field.npos) return std::nullopt;
    const std::string_view name = field.substr(0, colon);
    if (is_named(name, "transfer-encoding")) return std::nullopt;
    if (!is_named(name, "content-length")) continue;
    if (length) return std::nullopt;
    length = number_of<std::uint64_t>(trimmed(field.substr(colon + 1)));
    if (!length) return std::nullopt;
  }
  return length;
}

// HTTP/1.0 or HTTP/1.1, and what of it has come.
bool may_begin_reply(std::string_view text) {
  constexpr std::string_view beginning = "HTTP/1.";
  return text.starts_with(beginning.substr(0, text.size()));
}

}  // namespace

Checked HttpClient::check(ByteView input) {
  std::size_t head_bytes = 0;
  if (!in_content_) {
    const Checked head = check_head(text_of(input));
    if (head.verdict != Verdict::correct) return head;
    head_bytes = head.consumed;
    in_content_ = true;
    content_seen_ = 0;
  }
  Checked content = check_content(input.subspan(head_bytes));
  content.consumed += head_bytes;
  in_content_ = content.verdict != Verdict::correct;
  return content;
}

ExpectedReply HttpClient::expected() const {
  if (in_content_) return {.text = std::string(text_of(content())), .is_exact = true};
  return {.text = fmt::format("a head of HTTP/1.1 with status 200 and Content-Length: {}",
                              load_->resource.size)};
}

Checked HttpClient::check_head(std::string_view text) {
  constexpr std::string_view end_of_head = "\r\n\r\n";
  if (!may_begin_reply(text)) return {0, Verdict::protocol_error};
  const std::size_t end = text.find(end_of_head);
  if (end == text.npos) {
    return {0, text.size() < head_bytes_max ? Verdict::need_more : Verdict::protocol_error};
  }
  const std::size_t line_end = text.find(blank) + blank.size();
  const std::string_view status = text.substr(0, line_end).substr(std::strlen("HTTP/1.1"));
  const std::string_view fields = text.substr(line_end, end + blank.size() - line_end);
  const std::optional<std::uint64_t> length = content_length(fields);
  if (!length) return {0, Verdict::protocol_error};
  const bool is_right = status.starts_with(" 200 ") && *length == load_->resource.size;
  if (!is_right) return {0, Verdict::wrong_content};
  return {end + end_of_head.size(), Verdict::correct};
}

// What of the content is still to come: all of it, or as much as lies in one piece.
ByteView HttpClient::content() const {
  return load_->resource.kind == HttpResource::Kind::hello
             ? bytes_of(http_hello.substr(content_seen_))
             : http_bytes(content_seen_, load_->resource.size - content_seen_);
}

Checked HttpClient::check_content(ByteView input) {
  std::size_t consumed = 0;
  while (content_seen_ < load_->resource.size && consumed < input.size()) {
    ByteView expected = content();
    expected = expected.first(std::min(expected.size(), input.size() - consumed));
    if (std::memcmp(expected.data(), input.data() + consumed, expected.size()) != 0) {
      return {consumed, Verdict::wrong_content};
    }
    content_seen_ += expected.size();
    consumed += expected.size();
  }
  const bool is_complete = content_seen_ == load_->resource.size;
  return {consumed, is_complete ? Verdict::correct : Verdict::need_more};
}

}  // namespace serverlab
