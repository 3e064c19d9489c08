#pragma once

// `<delay>,<bucket>\n`: takes the delay, adds it to the bucket, replies with the bucket's new value
// (the scalability homework of Duke's ECE 568, 2020).

#include "services/bucket/line_scan.h"
#include "services/bucket/totals.h"

#include <memory>

namespace serverlab {

class BucketSession {
 public:
  explicit BucketSession(std::shared_ptr<BucketTotals> totals) : totals_(std::move(totals)) {}

  Progress advance(ByteView input, Bytes& output);

 private:
  std::shared_ptr<BucketTotals> totals_;
  BucketLineScan unfinished_;  // of the request that the input begins with
};
static_assert(Session<BucketSession>);

}  // namespace serverlab
