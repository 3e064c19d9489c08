#include "services/kv/resp_client.h"

#include "base/number.h"

#include <charconv>
#include <cstring>

namespace serverlab::kv {
namespace {

constexpr std::size_t number_digits_max = 20;
constexpr std::string_view line_ending = "\r\n";

// Whether the line is a reply of RESP2, though not the right one. An error is none: a client that
// keeps to the protocol and to the store's capacity gets no error.
bool is_reply(std::string_view line) {
  return !line.empty() && std::string_view("+:$*").contains(line.front());
}

char* put(char* at, std::string_view text) {
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

char* put_bulk(char* at, std::string_view text) {
  *at++ = '$';
  at = std::to_chars(at, at + number_digits_max, text.size()).ptr;
  return put(put(put(at, line_ending), text), line_ending);
}

}  // namespace

std::uint8_t RespClient::request(Bytes& output) {
  constexpr std::size_t framing_bytes_max = 128;
  const ScriptRequest request = script_.next();
  std::array<char, number_digits_max> key{};
  const char* const key_end = std::to_chars(key.begin(), key.end(), request.key).ptr;
  const std::span<std::byte> room = output.prepare(framing_bytes_max + request.value.size());
  char* const begin = reinterpret_cast<char*>(room.data());
  char* at = put(begin, request.is_get ? "*2\r\n$3\r\nGET\r\n" : "*3\r\n$3\r\nSET\r\n");
  at = put_bulk(at, {key.data(), key_end});
  if (!request.is_get) at = put_bulk(at, request.value);
  output.commit(static_cast<std::size_t>(at - begin));
  return request.is_get ? 0 : 1;
}

Checked RespClient::check(ByteView input) {
  const std::string_view reply = text_of(input);
  constexpr std::size_t line_bytes_max = 512;  // an error's text
  const std::string_view begin = reply.substr(0, line_bytes_max);
  const std::size_t line_end = begin.find(line_ending);
  if (line_end == begin.npos) {
    return {0, begin.size() == line_bytes_max ? Verdict::protocol_error : Verdict::need_more};
  }
  const std::string_view line = reply.substr(0, line_end);
  std::size_t consumed = line_end + line_ending.size();
  bool right = false;
  if (!script_.expected().is_get) {
    right = line == "+OK";
  } else if (line == "$-1") {
    right = script_.may_find(false, {});
  } else if (line.starts_with('$')) {
    const auto told = number_of<std::uint32_t>(line.substr(1));
    if (!told) return {0, Verdict::protocol_error};
    const std::uint32_t size = *told;
    if (size != script_.value_bytes()) return {0, Verdict::wrong_content};
    const std::string_view value = reply.substr(consumed);
    if (value.size() < size + line_ending.size()) return {0, Verdict::need_more};
    if (!value.substr(size).starts_with(line_ending)) return {0, Verdict::protocol_error};
    right = script_.may_find(true, value.substr(0, size));
    consumed += size + line_ending.size();
  }
  if (!right) return {0, is_reply(line) ? Verdict::wrong_content : Verdict::protocol_error};
  script_.answered();
  return {consumed, Verdict::correct};
}

ExpectedReply RespClient::expected() const {
  if (!script_.expected().is_get) return {.text = "+OK\r\n", .is_exact = true};
  return {.text = script_.expected_value()};
}

}  // namespace serverlab::kv
