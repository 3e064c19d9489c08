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

  void conclude(const RequestParser& request, std::string_view refusal, Bytes& output);
  void answer(const RequestParser& request, Bytes& output);
  void refuse(std::string_view status, const RequestParser* request, Bytes& output);
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
  if (!request_) return read_head(input, output);
  const RequestParser::Step step = request_->parse(input);
  conclude(*request_, step.refusal, output);
  return step.consumed;
}

std::size_t HttpSession::read_head(std::string_view input, Bytes& output) {
  constexpr std::string_view blank = "\r\n";
  if (input.starts_with(blank)) return blank.size();  // RFC 9112, 2.2: before a request line
  switch (head_.scan(input)) {
    case HeadScan::Result::incomplete: return 0;
    case HeadScan::Result::malformed: refuse(status::bad_request, nullptr, output); return 0;
    case HeadScan::Result::too_long: refuse(status::fields_too_large, nullptr, output); return 0;
    case HeadScan::Result::complete: break;
  }
  RequestParser& request = request_.emplace(options_.body_bytes_max);
  RequestParser::Step step = request.parse(input.substr(0, head_.size()));
  head_ = {};
  if (step.refusal.empty() && !request.is_done() && request.expects_continue()) {
    if (status_of(request) == status::ok) {
      output.append("HTTP/1.1 100 Continue\r\n\r\n");
    } else {
      step.refusal = status_of(request);  // the body may come or not: what comes is not known
    }
  }
  conclude(request, step.refusal, output);
  return step.consumed;
}

// Ends the request, if it is to be refused or complete.
void HttpSession::conclude(const RequestParser& request, std::string_view refusal, Bytes& output) {
  if (!refusal.empty()) {
    refuse(refusal, &request, output);
  } else if (request.is_done()) {
    answer(request, output);
  } else {
    return;
  }
  request_.reset();
}

void HttpSession::answer(const RequestParser& request, Bytes& output) {
  const std::string_view status = status_of(request);
  const Persistence persistence = request.persistence();
  closes_ = persistence == Persistence::closed;
  ++answered_;
  if (status != status::ok) return append_error(status, &request, persistence, output);

  const HttpResource& resource = request.resource();
  const bool is_echo = resource.kind == Kind::echo;
  append_head({.status = status,
               .content_type = is_echo ? "application/octet-stream" : "text/plain",
               .content_bytes = is_echo ? request.body().size() : resource.size,
               .persistence = persistence,
               .allow = ""},
              output);
  if (request.verb() == Verb::head) return;
  if (is_echo) output.append(request.body());
  if (resource.kind == Kind::hello) output.append(http_hello);
  if (resource.kind == Kind::bytes) {
    content_bytes_ = resource.size;
    content_said_ = 0;
  }
}

// What cannot be read, or not be read on: where the next request begins, nobody knows.
void HttpSession::refuse(std::string_view status, const RequestParser* request, Bytes& output) {
  append_error(status, request, Persistence::closed, output);
  closes_ = true;
  ++answered_;
}

void HttpSession::say_content(std::size_t bytes_max, Bytes& output) {
  const std::uint64_t left = content_bytes_ - content_said_;
  const ByteView piece = http_bytes(content_said_, std::min<std::uint64_t>(left, bytes_max));
  output.append(piece);
  content_said_ += piece.size();
}

}  // namespace

AnySession open_http_session(const HttpOptions& options) { return HttpSession(options); }

}  // namespace serverlab
