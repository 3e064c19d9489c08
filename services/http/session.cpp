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

  std::string_view parse_head(std::string_view lines, ScanResult result, Bytes& output);
  static std::string_view go_on(const RequestParser& request, Bytes& output);
  void conclude(const RequestParser& request, std::string_view refusal, Bytes& output);
  void answer(const RequestParser& request, Bytes& output);
  void refuse(std::string_view status, const RequestParser* request, Bytes& output);
  void say_content(std::size_t bytes_max, Bytes& output);

  HttpOptions options_;
  HeadScan head_;
  std::optional<RequestParser> request_;  // from the end of its first line to its reply
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
  if (!request_ || !request_->has_head()) return read_head(input, output);
  const RequestParser::Step step = request_->parse(input);
  conclude(*request_, step.refusal, output);
  return step.consumed;
}

std::size_t HttpSession::read_head(std::string_view input, Bytes& output) {
  constexpr std::string_view blank = "\r\n";
  if (!request_ && input.starts_with(blank)) {  // RFC 9112, 2.2: before a request line
    head_ = {};
    return blank.size();
  }
  const ScanResult result = head_.scan(input);
  const std::string_view lines = input.substr(0, head_.take());
  std::string_view refusal;
  if (!lines.empty()) refusal = parse_head(lines, result, output);
  if (refusal.empty() && result == ScanResult::malformed) refusal = status::bad_request;
  if (refusal.empty() && result == ScanResult::too_long) refusal = status::fields_too_large;
  if (request_) {
    conclude(*request_, refusal, output);
  } else if (!refusal.empty()) {
    refuse(refusal, nullptr, output);
  }
  return lines.size();
}

// @return the status, if the head is refused
std::string_view HttpSession::parse_head(std::string_view lines, ScanResult result, Bytes& output) {
  RequestParser& request = request_ ? *request_ : request_.emplace(options_.body_bytes_max);
  if (result != ScanResult::complete) return request.parse_lines(lines).refusal;
  head_ = {};
  const std::string_view refusal = request.parse(lines).refusal;
  return refusal.empty() ? go_on(request, output) : refusal;
}

// Tells the peer to go on if it waits for that before it sends the body.
// @return the status, if the request is refused: whether its body comes is not known then
std::string_view HttpSession::go_on(const RequestParser& request, Bytes& output) {
  if (request.is_done() || !request.expects_continue()) return {};
  if (status_of(request) != status::ok) return status_of(request);
  output.append("HTTP/1.1 100 Continue\r\n\r\n");
  return {};
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

// Answers a request that cannot be parsed; where the next one would begin is unknown.
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
