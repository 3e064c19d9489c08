#pragma once

// Asks for random delays and buckets, and sees from the values that come back whether additions get
// lost: a bucket that a connection asks for again has grown by its own delay, at least.

#include "services/workload.h"

#include <memory>

namespace serverlab {

struct BucketLoad {
  std::uint32_t buckets = 1;
  std::uint32_t delay_min = 0;  // in the server's units
  std::uint32_t delay_max = 0;
  std::uint64_t seed = 0;
};

/// What a connection has asked and heard, through all of its openings: where each has but one
/// request, they would otherwise all be the same.
struct BucketHistory {
  BucketHistory(const BucketLoad& its_load, std::uint32_t its_connection) :
      load(its_load), connection(its_connection), values(its_load.buckets) {}

  BucketLoad load;
  std::uint32_t connection;
  std::uint64_t requests = 0;
  std::vector<std::uint64_t> values;  // by bucket: the last that was heard
};

class BucketClient {
 public:
  explicit BucketClient(std::shared_ptr<BucketHistory> history) :
      history_(std::move(history)), answered_(history_->requests) {}

  std::uint8_t request(Bytes& output);
  Checked check(ByteView input);
  ExpectedReply expected() const;

 private:
  std::shared_ptr<BucketHistory> history_;
  std::uint64_t answered_;   // the number of the oldest request without an answer
  std::uint64_t least_ = 0;  // of a value that was less: what it was to be at least
};
static_assert(Client<BucketClient>);

}  // namespace serverlab
