#include "services/kv/resp_request.h"

#include <algorithm>
#include <fmt/format.h>

namespace serverlab::kv {
namespace {

using Status = RespRequest::Status;

constexpr std::size_t ending_bytes = 2;  // \r\n, the second byte unexamined, as by Redis

RespRequest error(std::string text) { return {Status::error, 0, std::move(text)}; }

/// The number of an array's or a word's header.
struct Header {
  Status status = Status::need_more;
  std::size_t number = 0;  // a negative one is as good as none
  std::size_t end = 0;     // where the line after it begins
};

constexpr Header bad_header = {.status = Status::error};

enum class Sign : std::uint8_t { none, any };

// Numbers are as Redis writes them: no sign but a minus, no zero in front, and 64 bits are enough.
// @param from where the number begins
Header read_header(std::string_view input, std::size_t from, Sign sign, std::size_t max) {
  constexpr std::size_t lowest = std::size_t{1} << 63;
  constexpr std::size_t digits_max = 19;  // of which none overflows a std::size_t
  std::size_t at = from;
  const bool is_negative = sign == Sign::any && at < input.size() && input[at] == '-';
  if (is_negative) ++at;
  const std::size_t first_digit = at;
  std::size_t number = 0;
  for (; at < input.size() && input[at] >= '0' && input[at] <= '9'; ++at) {
    const bool has_zero_in_front = number == 0 && at > first_digit;
    if (has_zero_in_front || at - first_digit == digits_max) return bad_header;
    number = 10 * number + static_cast<std::size_t>(input[at] - '0');
    if (number > (is_negative ? lowest : max) || (is_negative && number == 0)) return bad_header;
  }
  if (at == input.size()) return {};
  if (at == first_digit || input[at] != '\r') return bad_header;
  if (at + ending_bytes > input.size()) return {};
  return {Status::complete, is_negative ? 0 : number, at + ending_bytes};
}

RespRequest read_words(std::string_view input, RespProgress& progress, RespArguments& arguments) {
  for (std::size_t at = progress.read_bytes; at < std::min(input.size(), line_bytes_max); ++at) {
    if (!progress.quotes.scan(input[at])) return error("unbalanced quotes in request");
    if (input[at] != '\n') continue;
    split_line(input.substr(0, at), arguments);
    return {Status::complete, at + 1};
  }
  if (input.size() >= line_bytes_max) return error("too big inline request");
  progress.read_bytes = static_cast<std::uint32_t>(input.size());
  return {};
}

// Reads the words that are left, from where the array was left on.
RespRequest read_array_on(std::string_view input, RespProgress& progress,
                          RespArguments& arguments) {
  constexpr std::size_t word_bytes_min = std::string_view("$0\r\n\r\n").size();
  std::size_t at = progress.read_bytes;
  std::size_t left = progress.words_left;
  for (; left > 0; --left) {
    if (at >= input.size()) break;
    if (input[at] != '$') return error(fmt::format("expected '$', got '{}'", input[at]));
    const Header header = read_header(input, at + 1, Sign::none, bulk_bytes_max);
    if (header.status == Status::error) return error("invalid bulk length");
    if (header.status == Status::need_more) break;
    const std::size_t end = header.end + header.number + ending_bytes;
    const std::size_t others_bytes_min = (left - 1) * word_bytes_min;
    if (end + others_bytes_min > request_bytes_max) return error("too big request");
    if (end > input.size()) break;
    arguments.words.push_back(input.substr(header.end, header.number));
    at = end;
  }
  if (left == 0) return {Status::complete, at};
  progress.read_bytes = static_cast<std::uint32_t>(at);
  progress.words_left = static_cast<std::uint32_t>(left);
  return {};
}

RespRequest read_array(std::string_view input, RespProgress& progress, RespArguments& arguments) {
  if (progress.read_bytes == 0) {
    const Header header = read_header(input, 1, Sign::any, arguments_max);
    if (header.status == Status::error) return error("invalid multibulk length");
    if (header.status == Status::need_more) return {};
    progress.read_bytes = static_cast<std::uint32_t>(header.end);
    progress.words_left = static_cast<std::uint32_t>(header.number);
    return read_array_on(input, progress, arguments);
  }
  RespRequest request = read_array_on(input, progress, arguments);
  if (request.status != Status::complete) return request;
  // The words of earlier calls were views of input that may have moved: read once more, whole.
  progress = {};
  arguments.words.clear();
  return read_array(input, progress, arguments);
}

}  // namespace

RespRequest read_request(std::string_view input, RespProgress& progress, RespArguments& arguments) {
  arguments.words.clear();
  arguments.unquoted.clear();
  return input.front() == '*' ? read_array(input, progress, arguments)
                              : read_words(input, progress, arguments);
}

}  // namespace serverlab::kv
