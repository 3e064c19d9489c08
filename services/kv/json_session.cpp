#include "services/kv/json_session.h"

#include "services/kv/json_request.h"

#include <fmt/format.h>
#include <optional>

namespace serverlab::kv {
namespace {

constexpr std::string_view invalid = R"({"code":400,"key":"","type":"INVALID","value":""})";

// With its names in alphabetical order, as the protocol has them.
void reply(Bytes& output, int code, const JsonRequest& request, const std::string& value) {
  output.append(fmt::format(R"({{"code":{},"key":{},"type":{},"value":{}}})", code,
                            json_string(request.key.value_or("")),
                            json_string(request.type.value_or("")), json_string(value)));
}

}  // namespace

Progress JsonSession::advance(ByteView input, Bytes& output) {
  constexpr std::size_t replies_bytes_max = 64 << 10;  // then they have to go out first
  Progress progress;
  const std::size_t before = output.size();
  std::string_view rest = text_of(input);
  while (true) {
    rest.remove_prefix(space_size(rest));
    progress.consumed = input.size() - rest.size();
    if (rest.empty()) return progress;
    if (output.size() - before > replies_bytes_max) {
      progress.next = Next::flush;
      return progress;
    }
    const bool is_begun = rest.front() == '{';
    const std::size_t size = is_begun ? unfinished_.scan(rest.substr(0, json_bytes_max)) : 0;
    if (is_begun && size == 0 && unfinished_.size_min() <= json_bytes_max) return progress;
    unfinished_ = {};
    ++progress.requests;
    if (size == 0) {
      output.append(invalid);
      return {.consumed = input.size(), .next = Next::close, .requests = progress.requests};
    }
    answer(rest.substr(0, size), output);
    rest.remove_prefix(size);
  }
}

void JsonSession::answer(std::string_view text, Bytes& output) {
  const JsonRequest request = read_json_request(text);
  if (request.type == "GET" && request.key) {
    const auto value = store_->read(*request.key, [](const Entry* entry) {
      return entry == nullptr ? std::nullopt : std::optional(std::string(entry->value.view()));
    });
    return reply(output, value ? 200 : 404, request, value.value_or(""));
  }
  if (request.type == "POST" && request.key && request.value) {
    const bool fits =
        store_->change(*request.key, [&](Store::Slot& slot) { return slot.put(*request.value); });
    return fits ? reply(output, 200, request, *request.value) : reply(output, 507, request, "");
  }
  output.append(invalid);
}

}  // namespace serverlab::kv
