#pragma once

// A request of kv-json: what an object says, and no more than that.

#include <optional>
#include <string>
#include <string_view>

namespace serverlab::kv {

/// The members of a request that are strings, or integers, which stand for their digits.
struct JsonRequest {
  std::optional<std::string> type;
  std::optional<std::string> key;
  std::optional<std::string> value;
};

/// Reads an object; without members if it is not JSON.
JsonRequest read_json_request(std::string_view text);

/// A string in quotes, with escapes.
std::string json_string(const std::string& text);

}  // namespace serverlab::kv
