#include "load/told_begin.h"

#include <charconv>
#include <fmt/format.h>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace serverlab {
namespace {

constexpr std::string_view word = "begin ";
constexpr std::size_t line_max = 64;
constexpr Duration away_max = std::chrono::hours(1);

Instant begin_of(std::string_view line, bool may_have_passed) {
  std::int64_t ns = 0;
  const char* const end = line.data() + line.size();
  const bool has_word = line.starts_with(word);
  const auto read = std::from_chars(line.data() + (has_word ? word.size() : 0), end, ns);
  if (!has_word || read.ec != std::errc() || read.ptr != end)
    throw std::runtime_error("--begin=told: standard input has a line that is not 'begin NS'");
  const Instant begin{Duration(ns)};
  const Duration away = begin - now();
  if ((away < Duration::zero() && !may_have_passed) || away > away_max) {
    throw std::runtime_error(
        fmt::format("--begin=told: the load was to begin {} s {}", std::abs(seconds(away)),
                    away < Duration::zero() ? "ago" : "from now, which is more than an hour"));
  }
  return begin;
}

}  // namespace

std::optional<Instant> ToldBegin::await(Duration limit) {
  const auto limit_ms = std::chrono::ceil<std::chrono::milliseconds>(limit).count();
  pollfd readable{.fd = fd_, .events = POLLIN, .revents = 0};
  while (::poll(&readable, 1, static_cast<int>(limit_ms)) > 0) {
    char byte = 0;
    const bool has_ended = ::read(fd_, &byte, 1) <= 0;
    if (has_ended || (byte != '\n' && line_.size() == line_max))
      throw std::runtime_error("--begin=told: standard input has no line 'begin NS'");
    if (byte == '\n') return begin_of(std::exchange(line_, {}), std::exchange(has_begun_, true));
    line_ += byte;
  }
  return std::nullopt;
}

}  // namespace serverlab
