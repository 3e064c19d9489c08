#pragma once

// Messages that name their poster. In a text of so many bytes, each byte follows from the stamp: a
// message that was changed, cut or mixed with another is found without knowing what was posted.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace serverlab::forum {

/// "<author>.<number>." and a filler. A shorter message is as long as that without a filler.
struct Stamp {
  std::uint32_t author = 0;
  std::uint64_t number = 0;

  bool operator==(const Stamp&) const = default;
};

/// Makes `text` the stamped message of about `message_bytes`.
void write_message(const Stamp& stamp, std::size_t message_bytes, std::string& text);

/// The stamp of a message of `message_bytes`, of which a forum keeps the first 140.
/// @param scratch whose memory is reused
/// @return nothing if the text is not a whole message of that size
std::optional<Stamp> stamp_of(std::string_view text, std::size_t message_bytes,
                              std::string& scratch);

}  // namespace serverlab::forum
