#include "services/http/reply.h"

#include <algorithm>
#include <cassert>
#include <charconv>

namespace serverlab {
namespace {

constexpr std::size_t written_head_bytes_max = 512;

std::string_view field_of(Persistence persistence) {
  switch (persistence) {
    case Persistence::implied: return "";
    case Persistence::kept: return "Connection: keep-alive\r\n";
    case Persistence::closed: return "Connection: close\r\n";
  }
  return "";
}

/// Writes into memory that is known to be enough.
struct Writer {
  char* at;

  Writer& operator<<(std::string_view text) {
    at = std::ranges::copy(text, at).out;
    return *this;
  }
  Writer& operator<<(std::uint64_t number) {
    constexpr int digits_max = 20;
    at = std::to_chars(at, at + digits_max, number).ptr;
    return *this;
  }
};

}  // namespace

void append_head(const ReplyHead& head, Bytes& output) {
  char* const begin = reinterpret_cast<char*>(output.prepare(written_head_bytes_max).data());
  Writer writer{begin};
  writer << "HTTP/1.1 " << head.status << "\r\nContent-Type: " << head.content_type
         << "\r\nContent-Length: " << head.content_bytes << "\r\n";
  if (!head.allow.empty()) writer << "Allow: " << head.allow << "\r\n";
  writer << field_of(head.persistence) << "\r\n";
  const auto size = static_cast<std::size_t>(writer.at - begin);
  assert(size <= written_head_bytes_max);
  output.commit(size);
}

}  // namespace serverlab
