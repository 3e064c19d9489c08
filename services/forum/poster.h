#pragma once

// Posts, and checks the ids that come back.
//
// It first asks how many messages its topic has, and numbers its own from there on. If the topic is
// its own, number and id must be the same. If it is shared, others come in between: an id is at
// least the number, and above the poster's last.

#include "services/forum/workload_options.h"
#include "services/workload.h"

#include <optional>

namespace serverlab::forum {

class Poster {
 public:
  /// @param number of the poster: the author of its messages
  Poster(const WorkloadOptions& options, std::uint32_t number);

  std::uint8_t request(Bytes& output);
  Checked check(ByteView input);
  ExpectedReply expected() const;

 private:
  bool is_right(std::string_view line);
  bool is_right_count(std::uint64_t count);
  bool is_right_id(std::uint64_t id);

  WorkloadOptions options_;
  std::uint32_t author_;
  std::string topic_;
  std::string text_;
  std::optional<std::uint64_t> base_;  // messages of the topic before the first post
  std::uint64_t counts_pending_ = 0;   // asked while the base is not known
  std::uint64_t posted_ = 0;
  std::uint64_t answered_ = 0;             // posts that have their id
  std::uint64_t lowest_next_ = 0;          // an id may not be lower
  std::optional<std::uint64_t> expected_;  // what the last reply was to be, if it was a number
};
static_assert(Client<Poster>);

}  // namespace serverlab::forum
