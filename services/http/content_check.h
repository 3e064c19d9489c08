#pragma once

// What the content of replies is held against: bytes that are known beforehand, or what the first
// reply of the connection had.

#include "services/http/resource.h"

#include <cstdint>
#include <optional>
#include <string>

namespace serverlab {

/// How much of a reply is checked. The status always is.
enum class HttpCheck : std::uint8_t {
  exact,   // every byte is known beforehand
  same,    // the length and the CRC-32 of the connection's first reply
  length,  // the length of the connection's first reply
  status   // nothing else
};

/// The content of a reply that is known beforehand.
struct KnownContent {
  HttpResource resource;
  std::string echoed;  // by /echo

  std::uint64_t size() const;

  /// What comes from a position on: all of it, or as much as lies in one piece.
  ByteView from(std::uint64_t position) const;
};

class ContentCheck {
 public:
  /// @param known outlives this; read if the check is exact
  ContentCheck(HttpCheck check, const KnownContent& known) : check_(check), known_(&known) {}

  /// The content of the next reply begins.
  /// @param length none if it comes in chunks
  /// @return false if it has the wrong length
  bool begin(std::optional<std::uint64_t> length);

  /// @return how many of the bytes are right: all, or as many as come before the first wrong one
  std::size_t take(ByteView piece);

  /// @return whether content that ends here is right
  bool end();

  /// What is to come next; none if that is not known.
  std::optional<ByteView> next() const;

 private:
  struct Content {
    std::uint64_t size = 0;
    std::uint32_t crc = 0;
  };

  /// The size that the content has to have; none if any will do.
  std::optional<std::uint64_t> required_size() const;

  HttpCheck check_;
  const KnownContent* known_;
  Content seen_;                  // of the content that has begun
  std::optional<Content> first_;  // of the connection's first reply
};

}  // namespace serverlab
