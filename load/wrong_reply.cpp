#include "load/wrong_reply.h"

#include <algorithm>
#include <fmt/format.h>

namespace serverlab {
namespace {

// Where the shown part begins: a few bytes before the two texts differ, if that is far behind.
std::size_t shown_from(std::string_view expected, std::string_view received) {
  constexpr std::size_t before = 8;
  const auto differ = std::ranges::mismatch(expected, received);
  const auto same = static_cast<std::size_t>(differ.in1 - expected.begin());
  return same < WrongReply::shown_max / 2 ? 0 : same - before;
}

}  // namespace

WrongReply::WrongReply(Instant when, std::uint32_t connection, ErrorClass error,
                       const ExpectedReply& expected, ByteView received) :
    when_(when), connection_(connection), error_(error), is_exact_(expected.is_exact) {
  const std::string_view came = text_of(received);
  const std::size_t from = is_exact_ ? shown_from(expected.text, came) : 0;
  expected_.take(expected.text, from);
  received_.take(came, from);
}

std::string WrongReply::expected() const {
  return is_exact_ ? expected_.escaped() : fmt::format("<{}>", expected_.escaped());
}

std::string WrongReply::received() const { return received_.escaped(); }

void WrongReply::Excerpt::take(std::string_view text, std::size_t from) {
  const std::string_view shown = text.substr(std::min(from, text.size())).substr(0, shown_max);
  begins_later = from > 0;
  goes_on = from + shown.size() < text.size();
  size = static_cast<std::uint8_t>(shown.size());
  std::ranges::copy(shown, bytes);
}

std::string WrongReply::Excerpt::escaped() const {
  std::string text = begins_later ? "..." : "";
  for (const char letter : std::string_view(bytes, size)) {
    if (letter == '\r') {
      text += "\\r";
    } else if (letter == '\n') {
      text += "\\n";
    } else if (letter == '\\') {
      text += "\\\\";
    } else if (letter >= ' ' && letter <= '~') {
      text += letter;
    } else {
      text += fmt::format("\\x{:02x}", static_cast<unsigned char>(letter));
    }
  }
  return goes_on ? text + "..." : text;
}

}  // namespace serverlab
