#pragma once

// A wrong reply beside the expected one, shortened to what a person must see of the two.

#include "base/clock.h"
#include "load/error_class.h"
#include "services/workload.h"

#include <cstdint>
#include <string>

namespace serverlab {

/// Plain data: it lies in memory that the workers share with their conductor.
class WrongReply {
 public:
  WrongReply() = default;

  /// @param received what came from where the two differ on, or shortly before
  WrongReply(Instant when, std::uint32_t connection, ErrorClass error,
             const ExpectedReply& expected, ByteView received);

  bool is_none() const { return when_ == Instant::max(); }
  Instant when() const { return when_; }
  std::uint32_t connection() const { return connection_; }
  ErrorClass error() const { return error_; }

  // Printable ASCII, at most 4 × `shown_max` characters and an ellipsis at either end. Words about
  // what was expected are in angle brackets.
  std::string expected() const;
  std::string received() const;

  static constexpr std::size_t shown_max = 64;  // bytes of either

 private:
  struct Excerpt {
    void take(std::string_view text, std::size_t from);
    std::string escaped() const;

    bool begins_later = false;
    bool goes_on = false;
    std::uint8_t size = 0;
    char bytes[shown_max] = {};
  };

  Instant when_ = Instant::max();
  std::uint32_t connection_ = 0;
  ErrorClass error_ = ErrorClass::wrong_content;
  bool is_exact_ = false;
  Excerpt expected_;
  Excerpt received_;
};

}  // namespace serverlab
