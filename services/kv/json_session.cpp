#include "services/kv/json_session.h"

#include "services/kv/json_objects.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace serverlab::kv {
namespace {

using Json = nlohmann::json;  // with its keys in alphabetical order, as the protocol has them

constexpr std::string_view invalid = R"({"code":400,"key":"","type":"INVALID","value":""})";

// A key or a value: a string, or an integer, which stands for its digits.
std::optional<std::string> word_of(const Json& request, const char* name) {
  const auto found = request.find(name);
  if (found == request.end()) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number_integer()) return found->dump();
  return std::nullopt;
}

void reply(Bytes& output, int code, const std::string& type, const std::string& key,
           const std::string& value) {
  output.append(Json({{"code", code}, {"key", key}, {"type", type}, {"value", value}}).dump());
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
    const std::size_t size = rest.front() == '{' ? object_size(rest.substr(0, json_bytes_max)) : 0;
    if (size == 0 && rest.front() == '{' && rest.size() < json_bytes_max) return progress;
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
  const Json request = Json::parse(text, nullptr, false);
  const auto type = request.is_object() ? word_of(request, "type") : std::nullopt;
  const auto key = request.is_object() ? word_of(request, "key") : std::nullopt;
  if (type == "GET" && key) {
    const auto value = store_->read(*key, [](const Entry* entry) {
      return entry == nullptr ? std::nullopt : std::optional(entry->value);
    });
    return reply(output, value ? 200 : 404, *type, *key, value.value_or(""));
  }
  const auto value = request.is_object() ? word_of(request, "value") : std::nullopt;
  if (type == "POST" && key && value) {
    store_->change(*key, [&](Store::Slot& slot) { slot.made().value = *value; });
    return reply(output, 200, *type, *key, *value);
  }
  output.append(invalid);
}

}  // namespace serverlab::kv
