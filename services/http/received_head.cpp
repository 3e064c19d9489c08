#include "services/http/received_head.h"

#include "base/number.h"

#include <algorithm>
#include <optional>

namespace serverlab {
namespace {

constexpr std::size_t head_bytes_max = 16 << 10;
constexpr std::string_view line_end = "\r\n";

constexpr char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// @param small in small letters
bool is_same(std::string_view text, std::string_view small) {
  return std::ranges::equal(text, small, {}, lower);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

// HTTP/1.0 or HTTP/1.1, and what of it has come.
bool may_begin_reply(std::string_view text) {
  constexpr std::string_view beginning = "HTTP/1.";
  return text.starts_with(beginning.substr(0, text.size()));
}

/// @return none if it is no status line
std::optional<int> status_of(std::string_view line) {
  constexpr std::size_t version_size = std::string_view("HTTP/1.1 ").size();
  constexpr std::size_t code_size = 3;
  if (line.size() < version_size + code_size || line[version_size - 1] != ' ') return std::nullopt;
  const std::string_view reason = line.substr(version_size + code_size);
  if (!reason.empty() && !reason.starts_with(' ')) return std::nullopt;
  return number_of<int>(line.substr(version_size, code_size));
}

/// Reads the fields that tell where the content ends.
/// @return false unless exactly one does
bool read_framing(std::string_view fields, ReceivedHead& head) {
  while (!fields.empty()) {
    const std::string_view field = fields.substr(0, fields.find(line_end));
    fields.remove_prefix(field.size() + line_end.size());
    const std::size_t colon = field.find(':');
    if (colon == field.npos) return false;
    const std::string_view name = field.substr(0, colon);
    const std::string_view value = trimmed(field.substr(colon + 1));
    const bool is_length = is_same(name, "content-length");
    if (!is_length && !is_same(name, "transfer-encoding")) continue;
    if (head.framing != ReceivedHead::Framing::none) return false;
    head.framing = is_length ? ReceivedHead::Framing::length : ReceivedHead::Framing::chunks;
    if (is_length) {
      const auto length = number_of<std::uint64_t>(value);
      if (!length) return false;
      head.content_bytes = *length;
    } else if (!is_same(value, "chunked")) {
      return false;
    }
  }
  return true;
}

}  // namespace

ScanResult read_received_head(std::string_view text, ReceivedHead& head) {
  constexpr std::string_view end_of_head = "\r\n\r\n";
  if (!may_begin_reply(text)) return ScanResult::malformed;
  const std::size_t end = text.find(end_of_head);
  if (end == text.npos) {
    return text.size() < head_bytes_max ? ScanResult::incomplete : ScanResult::too_long;
  }
  const std::string_view line = text.substr(0, text.find(line_end));
  const std::optional<int> status = status_of(line);
  head = {.size = end + end_of_head.size(), .status = status.value_or(0)};
  const std::size_t begin_of_fields = line.size() + line_end.size();
  const std::size_t end_of_fields = end + line_end.size();
  const std::string_view fields = text.substr(begin_of_fields, end_of_fields - begin_of_fields);
  return status && read_framing(fields, head) ? ScanResult::complete : ScanResult::malformed;
}

}  // namespace serverlab
