#include "base/quantity.h"
#include "fuzz/arrival.h"
#include "fuzz/targets.h"
#include "services/kv/json_objects.h"
#include "services/kv/json_request.h"
#include "services/kv/resp_request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace serverlab::fuzz {
namespace {

using kv::RespRequest;

std::string as_array(const std::vector<std::string_view>& words) {
  std::string text = fmt::format("*{}\r\n", words.size());
  for (const std::string_view word : words) text += fmt::format("${}\r\n{}\r\n", word.size(), word);
  return text;
}

/// The words of one request, which is whole.
std::vector<std::string> words_of(const std::string& text) {
  kv::RespProgress progress;
  kv::RespArguments arguments;
  if (kv::read_request(text, progress, arguments).status != RespRequest::Status::complete) {
    throw Finding("what it has read it does not read again");
  }
  return {arguments.words.begin(), arguments.words.end()};
}

template <class Value>
std::optional<Value> value_of(Value (*parse)(std::string_view), std::string_view text) {
  try {
    return parse(text);
  } catch (const BadQuantity&) {
    return std::nullopt;
  }
}

}  // namespace

// A request that is read byte by byte is the one that is read at once; and its words, written as an
// array, are the same words.
void run_resp_requests(std::string_view input) {
  while (!input.empty()) {
    kv::RespProgress at_once;
    kv::RespArguments whole;
    const RespRequest request = kv::read_request(input, at_once, whole);
    kv::RespProgress progress;
    kv::RespArguments arguments;
    RespRequest in_bytes;
    for (std::size_t size = 1; in_bytes.status == RespRequest::Status::need_more; ++size) {
      if (size > input.size()) break;
      in_bytes = kv::read_request(input.substr(0, size), progress, arguments);
    }
    const bool is_complete = request.status == RespRequest::Status::complete;
    if (in_bytes.status != request.status || in_bytes.bytes != request.bytes ||
        in_bytes.error != request.error || (is_complete && arguments.words != whole.words)) {
      throw difference("a request by bytes and at once", input);
    }
    if (!is_complete) return;
    if (!whole.words.empty()) {
      const std::vector<std::string> copy(whole.words.begin(), whole.words.end());
      if (words_of(as_array(whole.words)) != copy) throw difference("words read again", input);
    }
    input.remove_prefix(request.bytes);
  }
}

// Where the scan sees the end of an object, that of valid JSON is; and a string that is written is
// the one that is read.
void run_json_objects(std::string_view input) {
  input.remove_prefix(kv::space_size(input));
  if (!input.starts_with('{')) return;
  const std::size_t size = kv::ObjectScan().scan(input);
  const auto is_request = [](const kv::JsonRequest& request) {
    return request.type || request.key || request.value;
  };
  const std::size_t unfinished = size == 0 ? input.size() : size - 1;
  for (std::size_t cut = 1; cut <= unfinished; ++cut) {
    if (is_request(kv::read_json_request(input.substr(0, cut)))) {
      throw difference("the scan and the parser", input);
    }
  }
  const kv::JsonRequest request = kv::read_json_request(input.substr(0, size));
  if (!request.key) return;
  const std::string written = fmt::format(R"({{"key":{}}})", kv::json_string(*request.key));
  if (kv::read_json_request(written).key != request.key) throw difference("a key again", input);
}

void run_quantities(std::string_view input) {
  constexpr double exact_max = 9007199254740992;  // 2^53, up to which a double has every integer
  const auto duration = value_of(parse_duration, input);
  if (duration && duration->count() < 0) throw Finding("a negative duration");
  if (duration && static_cast<double>(duration->count()) < exact_max &&
      parse_duration(fmt::format("{}ns", duration->count())) != *duration) {
    throw difference("a duration and what is printed of it", input);
  }
  const auto size = value_of(parse_size, input);
  if (size && parse_size(std::to_string(*size)) != *size) {
    throw difference("a size and what is printed of it", input);
  }
  const auto cpus = value_of(parse_cpus, input);
  if (cpus && parse_cpus(fmt::format("{}", fmt::join(*cpus, ","))) != *cpus) {
    throw difference("CPUs and what is printed of them", input);
  }
}

}  // namespace serverlab::fuzz
