#include "services/kv/json_client.h"

#include "services/kv/json_objects.h"
#include "services/kv/json_session.h"

#include <fmt/format.h>
#include <optional>

namespace serverlab::kv {
namespace {

// The value of a reply that has everything else as it must be.
std::optional<std::string_view> value_in(std::string_view reply, int code,
                                         const Script::Expected& expected) {
  const std::string head = fmt::format(R"({{"code":{},"key":"{}","type":"{}","value":")", code,
                                       expected.key, expected.is_get ? "GET" : "POST");
  constexpr std::string_view tail = R"("})";
  if (!reply.starts_with(head) || !reply.substr(head.size()).ends_with(tail)) return std::nullopt;
  reply.remove_prefix(head.size());
  reply.remove_suffix(tail.size());
  return reply;
}

bool is_right(std::string_view reply, const Script& script) {
  const Script::Expected& expected = script.expected();
  if (const auto value = value_in(reply, 200, expected)) {
    return expected.is_get ? script.may_find(true, *value) : script.is_written(*value);
  }
  return expected.is_get && value_in(reply, 404, expected) == "" && script.may_find(false, {});
}

}  // namespace

std::uint8_t JsonClient::request(Bytes& output) {
  const ScriptRequest request = script_.next();
  output.append(fmt::format(R"({{"key":"{}","type":"{}","value":"{}"}})", request.key,
                            request.is_get ? "GET" : "POST", request.value));
  return request.is_get ? 0 : 1;
}

Checked JsonClient::check(ByteView input) {
  constexpr std::size_t reply_bytes_max = json_bytes_max + 64;  // it has a code besides
  const std::string_view text = text_of(input);
  if (text.empty()) return {0, Verdict::need_more};
  if (!text.starts_with('{')) return {0, Verdict::protocol_error};
  const std::size_t size = ObjectScan().scan(text.substr(0, reply_bytes_max));
  if (size == 0 && text.size() < reply_bytes_max) return {0, Verdict::need_more};
  if (size == 0) return {0, Verdict::protocol_error};
  if (!is_right(text.substr(0, size), script_)) return {0, Verdict::wrong_content};
  script_.answered();
  return {size, Verdict::correct};
}

ExpectedReply JsonClient::expected() const {
  const Script::Expected& expected = script_.expected();
  const bool is_known = expected.is_get && expected.is_known;
  const std::string_view code = expected.is_get && !is_known ? "200 or 404" : "200";
  return {.text =
              fmt::format(R"({{"code":{},"key":"{}","type":"{}","value": {}}})", code, expected.key,
                          expected.is_get ? "GET" : "POST", script_.expected_value())};
}

}  // namespace serverlab::kv
