#pragma once

// Gets one path again and again, and checks of each reply the status, the length and every byte.

#include "services/http/resource.h"
#include "services/workload.h"

#include <memory>
#include <string>

namespace serverlab {

struct HttpLoad {
  std::string request;
  HttpResource resource;  // what is to come back
};

class HttpClient {
 public:
  explicit HttpClient(std::shared_ptr<const HttpLoad> load) : load_(std::move(load)) {}

  std::uint8_t request(Bytes& output) const {
    output.append(load_->request);
    return 0;
  }
  Checked check(ByteView input);
  ExpectedReply expected() const;

 private:
  Checked check_head(std::string_view text);
  Checked check_content(ByteView input);
  ByteView content() const;

  std::shared_ptr<const HttpLoad> load_;
  bool in_content_ = false;
  std::uint64_t content_seen_ = 0;
};
static_assert(Client<HttpClient>);

}  // namespace serverlab
