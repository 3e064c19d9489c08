#include "services/kv/json_request.h"

#include <nlohmann/json.hpp>

namespace serverlab::kv {
namespace {

using Json = nlohmann::json;

// Reads without a tree: to destroy one takes memory, and where there is none, ends the program.
class Reader final : public nlohmann::json_sax<Json> {
 public:
  JsonRequest take_request() { return std::move(request_); }

  bool null() override { return take(std::nullopt); }
  bool boolean(bool /*value*/) override { return take(std::nullopt); }
  bool number_integer(std::int64_t value) override { return take(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) override { return take(std::to_string(value)); }
  bool number_float(double /*value*/, const std::string& /*text*/) override {
    return take(std::nullopt);
  }
  bool string(std::string& text) override { return take(std::move(text)); }
  bool binary(Json::binary_t& /*bytes*/) override { return take(std::nullopt); }

  bool start_object(std::size_t /*members*/) override { return begin(); }
  bool start_array(std::size_t /*elements*/) override { return begin(); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }

  bool key(std::string& name) override {
    if (depth_ > 1) return true;
    member_ = nullptr;
    if (name == "type") member_ = &request_.type;
    if (name == "key") member_ = &request_.key;
    if (name == "value") member_ = &request_.value;
    return true;
  }

  bool parse_error(std::size_t /*at*/, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    request_ = {};
    return false;
  }

 private:
  bool take(std::optional<std::string> word) {
    if (depth_ == 1 && member_ != nullptr) *member_ = std::move(word);
    return true;
  }
  bool begin() {
    take(std::nullopt);
    ++depth_;
    return true;
  }
  bool end() {
    --depth_;
    return true;
  }

  JsonRequest request_;
  std::optional<std::string>* member_ = nullptr;  // whose value comes next; null: none of ours
  std::size_t depth_ = 0;
};

}  // namespace

JsonRequest read_json_request(std::string_view text) {
  Reader reader;
  Json::sax_parse(text, &reader);
  return reader.take_request();
}

std::string json_string(const std::string& text) { return Json(text).dump(); }

}  // namespace serverlab::kv
