#include "services/http/session.h"

#include "services/http/head_scan.h"
#include "services/http/reply.h"
#include "services/http/request_parser.h"
#include "services/http/resource.h"

#include <algorithm>
#include <optional>

namespace serverlab {
namespace {

// Output of one call, above which it goes out before there is more.
constexpr std::size_t output_bytes_max = 64 << 10;

using Kind = HttpResource::Kind;
using Verb = RequestParser::Verb;

bool gets(const RequestParser& request) {
  return request.verb() == Verb::get || request.verb() == Verb::head;
}

/// The status of a request that can be read.
std::string_view status_of(const RequestParser& request) {
  switch (request.resource().kind) {
    case Kind::none: return status::not_found;
    case Kind::hello:
    case Kind::bytes: return gets(request) ? status::ok : status::method_not_allowed;
    case Kind::echo:
      if (request.verb() != Verb::post) return status::method_not_allowed;
      return request.has_length() ? status::ok : status::length_required;
  }
  return status::not_found;
}

std::string_view methods_of(Kind kind) { return kind == Kind::echo ? "POST" : "GET, HEAD"; }

/// @param request null if it could not be read
void append_error(std::string_view status, const RequestParser* request, Persistence persistence,
                  Bytes& output) {
  const bool has_other_methods = request != nullptr && status == status::method_not_allowed;
  append_head({.status = status,
               .content_type = "text/plain",
               .content_bytes = status.size(),
               .persistence = persistence,
               .allow = has_other_methods ? methods_of(request->resource().kind) : ""},
              output);
  if (request == nullptr || request->verb() != Verb::head) output.append(status);
}

class HttpSession {
 public:
  explicit HttpSession(const HttpOptions& options) : options_(options) {}

  Progress advance(ByteView input, Bytes& output);

 private:
  // Each consumes what it can; nothing if it needs more.
  std::size_t read(std::string_view input, Bytes& output);
  std::size_t read_head(std::string_view input, Bytes& output);
  std::size_t read_body(std::string_view input, Bytes& output);

  void answer(Bytes& output);
  void begin_content(const HttpResource& resource, Bytes& output);
  void refuse(std::string_view status, Bytes& output);
  void say_content(std::size_t bytes_max, Bytes& output);

  HttpOptions options_;
  HeadScan head_;
  std::optional<RequestParser> request_;  // from the end of its head to its reply
  std::uint64_t content_bytes_ = 0;       // of the reply from `/bytes/N` that is being said
  std::uint64_t content_said_ = 0;
  std::uint32_t answered_ = 0;  // by this call
  bool closes_ = false;
};

Progress HttpSession::advance(ByteView input, Bytes& output) {
  const std::size_t output_before = output.size();
  answered_ = 0;
  std::size_t consumed = 0;
  while (true) {
    const std::size_t replied_bytes = output.size() - output_before;
    if (replied_bytes >= output_bytes_max) return {consumed, Next::flush, answered_};
    if (content_said_ < content_bytes_) {
      say_content(output_bytes_max - replied_bytes, output);
      continue;
    }
    if (closes_) return {consumed, Next::close, answered_};
    const std::size_t read_bytes = read(text_of(input.subspan(consumed)), output);
    if (read_bytes == 0 && !closes_) return {consumed, Next::read_more, answered_};
    consumed += read_bytes;
  }
}

std::size_t HttpSession::read(std::string_view input, Bytes& output) {
  return request_ ? read_body(input, output) : read_head(input, output);
}

std::size_t HttpSession::read_head(std::string_view input, Bytes& output) {
  constexpr std::string_view blank = "\r\n";
  if (input.starts_with(blank)) return blank.size();  // RFC 9112, 2.2: before a request line
  switch (head_.scan(input)) {
    case HeadScan::Result::incomplete: return 0;
    case HeadScan::Result::malformed: refuse(status::bad_request, output); return 0;
    case HeadScan::Result::too_long: refuse(status::fields_too_large, output); return 0;
    case HeadScan::Result::complete: break;
  }
  request_.emplace(options_.body_bytes_max);
  const RequestParser::Step step = request_->parse(input.substr(0, head_.size()));
  head_ = {};
  if (!step.refusal.empty()) {
    refuse(step.refusal, output);
  } else if (request_->is_done()) {
    answer(output);
  } else if (request_->expects_continue()) {
    // Whoever is refused may send the body or not, so that what comes next has no beginning.
    const std::string_view expected = status_of(*request_);
    if (expected == status::ok) {
      output.append("HTTP/1.1 100 Continue\r\n\r\n");
    } else {
      refuse(expected, output);
    }
  }
  return step.consumed;
}

std::size_t HttpSession::read_body(std::string_view input, Bytes& output) {
  const RequestParser::Step step = request_->parse(input);
  if (!step.refusal.empty()) {
    refuse(step.refusal, output);
  } else if (request_->is_done()) {
    answer(output);
  }
  return step.consumed;
}

void HttpSession::answer(Bytes& output) {
  const RequestParser& request = *request_;
  const std::string_view status = status_of(request);
  const Persistence persistence = request.persistence();
  closes_ = persistence == Persistence::closed;
  ++answered_;
  if (status != status::ok) {
    append_error(status, &request, persistence, output);
  } else if (request.resource().kind == Kind::echo) {
    append_head({.status = status,
                 .content_type = "application/octet-stream",
                 .content_bytes = request.body().size(),
                 .persistence = persistence},
                output);
    output.append(request.body());
  } else {
    append_head({.status = status,
                 .content_type = "text/plain",
                 .content_bytes = request.resource().size,
                 .persistence = persistence},
                output);
    if (request.verb() == Verb::get) begin_content(request.resource(), output);
  }
  request_.reset();
}

void HttpSession::begin_content(const HttpResource& resource, Bytes& output) {
  if (resource.kind == Kind::hello) return output.append(http_hello);
  content_bytes_ = resource.size;
  content_said_ = 0;
}

void HttpSession::say_content(std::size_t bytes_max, Bytes& output) {
  const std::uint64_t left = content_bytes_ - content_said_;
  const ByteView piece = http_bytes(content_said_, std::min<std::uint64_t>(left, bytes_max));
  output.append(piece);
  content_said_ += piece.size();
}

// What cannot be read, or not be read on: where the next request begins, nobody knows.
void HttpSession::refuse(std::string_view status, Bytes& output) {
  append_error(status, request_ ? &*request_ : nullptr, Persistence::closed, output);
  request_.reset();
  closes_ = true;
  ++answered_;
}

}  // namespace

AnySession open_http_session(const HttpOptions& options) { return HttpSession(options); }

}  // namespace serverlab
