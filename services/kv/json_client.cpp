#include "services/kv/json_client.h"

#include "services/kv/json_objects.h"

#include <fmt/format.h>

namespace serverlab::kv {

std::uint8_t JsonClient::request(Bytes& output) {
  const ScriptRequest request = script_.next();
  output.append(fmt::format(R"({{"key":"{}","type":"{}","value":"{}"}})", request.key,
                            request.is_get ? "GET" : "POST", request.value));
  return request.is_get ? 0 : 1;
}

Checked JsonClient::check(ByteView input) {
  const std::string_view text = text_of(input);
  if (!text.starts_with('{')) return {0, Verdict::protocol_error};
  const std::size_t size = object_size(text);
  if (size == 0) return {0, Verdict::need_more};
  const Script::Expected& expected = script_.expected();
  const std::string_view reply = text.substr(0, size);
  const std::string head = fmt::format(R"(,"key":"{}","type":"{}","value":")", expected.key,
                                       expected.is_get ? "GET" : "POST");
  constexpr std::string_view code = R"({"code":200)";
  constexpr std::string_view tail = R"("})";
  const bool missing = reply == fmt::format(R"({{"code":404{}{})", head, tail);
  const bool found = reply.starts_with(code) && reply.substr(code.size()).starts_with(head);
  bool right = false;
  if (expected.is_get && missing) right = script_.may_find(false, {});
  if (found) {
    const std::string_view rest = reply.substr(code.size() + head.size());
    right = !expected.is_get || script_.may_find(true, rest.substr(0, rest.size() - tail.size()));
  }
  if (!right) return {0, Verdict::wrong_content};
  script_.answered();
  return {size, Verdict::correct};
}

}  // namespace serverlab::kv
