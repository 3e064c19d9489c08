#include "services/bucket/session.h"

#include "base/number.h"

#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

namespace serverlab {
namespace {

// Output of one call, above which it goes out before more is read.
constexpr std::size_t output_bytes_max = 64 << 10;

void append_line(Bytes& output, std::uint64_t value) {
  constexpr std::size_t longest = 21;  // 20 digits and the newline
  char* const begin = reinterpret_cast<char*>(output.prepare(longest).data());
  char* const end = std::to_chars(begin, begin + longest - 1, value).ptr;
  *end = '\n';
  output.commit(static_cast<std::size_t>(end + 1 - begin));
}

Next answer(const BucketLineScan& line, std::string_view bucket, BucketTotals& totals,
            Bytes& output) {
  const std::optional<std::uint64_t> number = number_of<std::uint64_t>(bucket);
  if (!number || *number >= totals.options().buckets) {
    output.append(fmt::format("Invalid Bucket Index: {}\n", bucket));
    return Next::close;
  }
  append_line(output, totals.add_after(line.delay(), *number));
  return totals.options().one_request ? Next::close : Next::read_more;
}

}  // namespace

// Replies go out before another delay is taken: a call takes at most one delay, and that first.
Progress BucketSession::advance(ByteView input, Bytes& output) {
  const std::size_t output_before = output.size();
  Progress progress;
  while (progress.next == Next::read_more) {
    const std::string_view rest = text_of(input.subspan(progress.consumed));
    const auto found = unfinished_.scan(rest, totals_->delay_max());
    if (found == BucketLineScan::Result::incomplete) break;
    const BucketLineScan line = std::exchange(unfinished_, {});
    const bool is_request = found == BucketLineScan::Result::complete;
    const std::size_t replied_bytes = output.size() - output_before;
    if (replied_bytes >= (is_request && line.delay() > 0 ? 1 : output_bytes_max)) {
      progress.next = Next::flush;
      break;
    }
    progress.consumed += line.size();
    ++progress.requests;
    if (is_request) {
      progress.next = answer(line, line.bucket_in(rest), *totals_, output);
    } else {
      output.append("Request format is incorrect!\n");
      progress.next = Next::close;
    }
  }
  return progress;
}

}  // namespace serverlab
