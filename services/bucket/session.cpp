#include "services/bucket/session.h"

#include "base/number.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace serverlab {
namespace {

// Two numbers of 20 digits, which is all that 64 bits can need, and room to see that it is more.
constexpr std::size_t line_bytes_max = 64;

// Output of one call, above which it goes out before more is read.
constexpr std::size_t output_bytes_max = 64 << 10;

struct Request {
  enum class Kind { addition, bad_format, bad_index };
  Kind kind = Kind::bad_format;
  std::uint64_t delay = 0;
  std::uint64_t bucket = 0;
  std::string_view bucket_text;
};

// With its newline; empty if it is not complete. Without a newline if it is too long to be one.
std::string_view first_line(std::string_view text) {
  const std::string_view beginning = text.substr(0, line_bytes_max);
  const std::size_t newline = beginning.find('\n');
  if (newline != beginning.npos) return beginning.substr(0, newline + 1);
  return beginning.size() == line_bytes_max ? beginning : std::string_view();
}

// Of any size, but as the hand-out writes it: no sign, no blank, no zero in front.
bool is_number(std::string_view text) {
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  return !text.empty() && std::ranges::all_of(text, is_digit) &&
         (text.size() == 1 || text.front() != '0');
}

Request parse(std::string_view line, const BucketTotals& totals) {
  if (!line.ends_with('\n')) return {};
  line.remove_suffix(1);
  const std::size_t comma = line.find(',');
  if (comma == line.npos) return {};
  const std::string_view delay_text = line.substr(0, comma);
  const std::string_view bucket_text = line.substr(comma + 1);
  if (!is_number(delay_text) || !is_number(bucket_text)) return {};

  const std::optional<std::uint64_t> delay = number_of<std::uint64_t>(delay_text);
  if (!delay || !totals.allows(*delay)) return {};
  const std::optional<std::uint64_t> bucket = number_of<std::uint64_t>(bucket_text);
  if (!bucket || *bucket >= totals.options().buckets) {
    return {.kind = Request::Kind::bad_index, .bucket_text = bucket_text};
  }
  return {Request::Kind::addition, *delay, *bucket, bucket_text};
}

void append_line(Bytes& output, std::uint64_t value) {
  constexpr std::size_t longest = 21;  // 20 digits and the newline
  char* const begin = reinterpret_cast<char*>(output.prepare(longest).data());
  char* const end = std::to_chars(begin, begin + longest - 1, value).ptr;
  *end = '\n';
  output.commit(static_cast<std::size_t>(end + 1 - begin));
}

Next answer(const Request& request, BucketTotals& totals, Bytes& output) {
  switch (request.kind) {
    case Request::Kind::addition:
      append_line(output, totals.add_after(request.delay, request.bucket));
      return totals.options().one_request ? Next::close : Next::read_more;
    case Request::Kind::bad_format: output.append("Request format is incorrect!\n"); break;
    case Request::Kind::bad_index:
      output.append(fmt::format("Invalid Bucket Index: {}\n", request.bucket_text));
      break;
  }
  return Next::close;
}

}  // namespace

// Replies go out before another delay is taken: a call takes at most one delay, and that first.
Progress BucketSession::advance(ByteView input, Bytes& output) {
  const std::size_t output_before = output.size();
  Progress progress;
  while (progress.next == Next::read_more) {
    const std::string_view line = first_line(text_of(input.subspan(progress.consumed)));
    if (line.empty()) break;
    const Request request = parse(line, *totals_);
    const std::size_t replied_bytes = output.size() - output_before;
    if (replied_bytes >= (request.delay > 0 ? 1 : output_bytes_max)) {
      progress.next = Next::flush;
      break;
    }
    progress.consumed += line.size();
    progress.next = answer(request, *totals_, output);
    ++progress.requests;
  }
  return progress;
}

}  // namespace serverlab
