#pragma once

// What the clients of a forum have in common.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace serverlab::forum {

/// The classes of the workload's requests, as its catalogue row numbers them.
enum class RequestClass : std::uint8_t { post, read, count, list, unknown };

struct WorkloadOptions {
  std::size_t message_bytes = 16;
  bool share_topic = false;  // all post to one topic
  bool walk = false;         // readers read every id in turn, not id 0 again and again
  bool ask_all = false;      // readers READ, COUNT, LIST and ask nonsense in turn
  bool validate = true;
  std::string_view ending;  // of a line
};

/// The topic of the poster of this number, and of the connections that read it.
std::string topic_name(const WorkloadOptions& options, std::uint32_t poster);

}  // namespace serverlab::forum
