#pragma once

// Reads what a poster posts, and checks every text.
//
// A message that is not there yet is a blank line. One that is there stays: what was once seen or
// counted must be found ever after, with the same stamp. In a topic with one poster the stamp's
// number is the id. In a shared one it is not above the id, and grows with the id for each author.

#include "services/forum/stamp.h"
#include "services/forum/walk.h"
#include "services/forum/workload_options.h"
#include "services/workload.h"

#include <optional>
#include <vector>

namespace serverlab::forum {

class Reader {
 public:
  /// @param poster of the topic that it reads
  Reader(const WorkloadOptions& options, std::uint32_t poster);

  std::uint8_t request(Bytes& output);
  Checked check(ByteView input);
  ExpectedReply expected() const;

 private:
  struct Read {
    std::uint64_t id = 0;
    Stamp stamp;
  };

  RequestClass class_of(std::uint64_t request) const;
  bool is_right(RequestClass asked, std::string_view line);
  bool is_right_read(std::string_view line);
  bool is_right_message(std::uint64_t id, std::string_view text);
  bool agrees_with_earlier(const Read& read);
  bool is_right_count(std::string_view line);
  bool is_right_list(std::string_view line) const;

  WorkloadOptions options_;
  std::uint32_t poster_;
  std::string topic_;
  std::string scratch_;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  Walk walk_;
  std::uint64_t known_ = 0;                   // so many messages are there
  std::optional<Stamp> first_;                // of id 0
  std::vector<std::optional<Read>> last_of_;  // by author
};
static_assert(Client<Reader>);

}  // namespace serverlab::forum
