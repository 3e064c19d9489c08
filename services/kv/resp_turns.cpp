#include "services/kv/resp_turns.h"

#include <array>
#include <cassert>
#include <cstring>
#include <utility>

namespace serverlab::kv {
namespace {

constexpr std::size_t keys_a_turn = 256;  // some 50 us
constexpr std::size_t words_each_max = 2;
constexpr std::size_t size_bytes = sizeof(std::uint32_t);

}  // namespace

void RespTurns::begin(const RespCall& call, const Work& work) {
  assert(!are_left() && work.words_each <= words_each_max);
  auto words = call.words.subspan(1);
  for (std::size_t keys = 0; !words.empty() && may_go_on(call, keys); ++keys) {
    work.step(call.with(words.first(work.words_each)));
    words = words.subspan(work.words_each);
  }
  if (words.empty()) return work.end(call);
  work_ = &work;
  std::size_t bytes = 0;
  for (const std::string_view word : words) bytes += size_bytes + word.size();
  kept_.prepare(bytes);
  for (const std::string_view word : words) keep(word);
  words_left_ = words.size();
}

void RespTurns::go_on(const RespCall& call) {
  if (says_value()) say_on(call);
  for (std::size_t keys = 0; has_words_left() && may_go_on(call, keys); ++keys) {
    std::array<std::string_view, words_each_max> words;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < work_->words_each; ++i) {
      words.at(i) = kept_word(bytes);
      bytes += size_bytes + words.at(i).size();
    }
    work_->step(call.with(std::span(words).first(work_->words_each)));
    kept_.consume(bytes);
    words_left_ -= work_->words_each;
  }
  if (work_ == nullptr || has_words_left()) return;
  kept_.release();
  std::exchange(work_, nullptr)->end(call);
}

bool RespTurns::may_go_on(const RespCall& call, std::size_t keys) const {
  return keys < keys_a_turn && !says_value() && call.output.size() <= call.output_bytes_max;
}

void RespTurns::say(const RespCall& call, Value::Held value) {
  call.reply().bulk_of(value.bytes.size());
  value_ = std::move(value);
}

void RespTurns::say_on(const RespCall& call) {
  constexpr std::string_view ending = "\r\n";
  constexpr std::size_t piece_bytes_max = 64 << 10;
  const std::string_view piece = value_.bytes.substr(0, piece_bytes_max);
  call.output.append(piece);
  value_.bytes.remove_prefix(piece.size());
  if (!value_.bytes.empty()) return;
  call.output.append(ending);
  value_ = {};
}

void RespTurns::keep(std::string_view word) {
  const auto size = static_cast<std::uint32_t>(word.size());
  kept_.append(std::as_bytes(std::span(&size, 1)));
  kept_.append(word);
}

std::string_view RespTurns::kept_word(std::size_t at) const {
  const std::string_view words = text_of(kept_.view()).substr(at);
  std::uint32_t size = 0;
  std::memcpy(&size, words.data(), size_bytes);
  return words.substr(size_bytes, size);
}

}  // namespace serverlab::kv
