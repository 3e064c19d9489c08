#pragma once

// What a connection asks of a store, and what it may be told: the requests are drawn from a seed,
// and a value names its key, the connection that wrote it and the number of that write, so that an
// impossible reply is found.
//
// Checked are: a value belongs to its key; a client that has written a key finds it; a client that
// reads its own value reads its latest.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace serverlab::kv {

/// How often each key is asked for.
class KeyChoice {
 public:
  /// @param exponent of Zipf's law; 0: all alike
  KeyChoice(std::uint32_t keys, double exponent);

  /// @param uniform in [0, 1)
  std::uint32_t choose(double uniform) const;

 private:
  std::uint32_t keys_;
  std::vector<double> cumulated_;  // empty if all are alike
};

struct ScriptOptions {
  std::shared_ptr<const KeyChoice> keys;
  std::uint32_t value_bytes = 64;
  double get_share = 0.5;
  std::uint64_t run = 0;  // tells this run's values from those that an earlier one has left
};

struct ScriptRequest {
  bool is_get = false;
  std::uint32_t key = 0;
  std::string_view value;  // of a set; until the next request is drawn
};

class Script {
 public:
  /// @param writer whose values these are: unique in the run
  Script(std::shared_ptr<const ScriptOptions> options, std::uint64_t writer);

  /// Draws the next request.
  ScriptRequest next();

  /// The oldest request that `answered` has not been told of.
  struct Expected {
    bool is_get = false;
    bool is_known = false;  // of a get: this connection has written the key, as `sequence`
    std::uint32_t key = 0;
    std::uint32_t sequence = 0;  // requests drawn before it, or the known write's number
  };
  const Expected& expected() const { return expected_[answered_ & mask_]; }
  void answered() { ++answered_; }

  /// Whether a get may find this. @param value what it found, if it found anything
  bool may_find(bool found, std::string_view value) const;

  /// Whether this is what the expected set writes.
  bool is_written(std::string_view value) const;

  /// The value that the expected request finds or writes, in words.
  std::string expected_value() const;

  std::uint32_t value_bytes() const { return options_->value_bytes; }

 private:
  struct Written {
    std::uint32_t key = UINT32_MAX;
    std::uint32_t sequence = 0;
  };

  std::uint64_t random();
  void expect(Expected expected);

  std::shared_ptr<const ScriptOptions> options_;
  std::uint64_t writer_;
  std::uint64_t random_state_;
  std::string value_;  // the latest, and room for its stamp
  // The latest writes, a key in a place that others may take: enough for keys that are asked for
  // often, and of a fixed size.
  std::array<Written, 64> written_;
  std::vector<Expected> expected_;  // a ring
  std::uint32_t mask_ = 0;
  std::uint32_t drawn_ = 0;
  std::uint32_t answered_ = 0;
};

}  // namespace serverlab::kv
