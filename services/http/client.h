#pragma once

// Sends one request again and again, and checks of each reply the status and, as far as it is
// asked to, the content.

#include "services/http/chunk_scan.h"
#include "services/http/content_check.h"
#include "services/http/received_head.h"
#include "services/workload.h"

#include <memory>
#include <string>

namespace serverlab {

struct HttpLoad {
  std::string request;      // head and body
  bool is_of_head = false;  // a reply to HEAD has no content, whatever its head says
  int status = 0;           // that a reply has to have
  HttpCheck check = HttpCheck::exact;
  KnownContent content;  // what is to come back, if the check is exact
};

class HttpClient {
 public:
  explicit HttpClient(std::shared_ptr<const HttpLoad> load) :
      load_(std::move(load)), content_(load_->check, load_->content) {}

  std::uint8_t request(Bytes& output) const {
    output.append(load_->request);
    return 0;
  }
  Checked check(ByteView input);
  ExpectedReply expected() const;

 private:
  enum class Awaited : std::uint8_t { head, chunk_line, content, end };

  // Each checks what is awaited; `correct` says that something else is awaited now.
  Checked check_awaited(std::string_view input);
  Checked check_head(std::string_view input);
  Checked check_chunk_line(std::string_view input);
  Checked check_content(std::string_view input);

  std::shared_ptr<const HttpLoad> load_;
  ContentCheck content_;
  Awaited awaited_ = Awaited::head;
  bool is_in_chunks_ = false;
  std::uint64_t left_bytes_ = 0;  // of the content or of the chunk
  ChunkScan chunk_line_{ChunkScan::Begin::body};
};
static_assert(Client<HttpClient>);

}  // namespace serverlab
