#pragma once

// One request, parsed by Boost.Beast, and refused where two readers of the same bytes might see two
// different requests. Beast refuses most of that itself; what it would let pass is refused here.
// For session.cpp alone: Beast is heavy to compile.

#include "base/bytes.h"
#include "services/http/chunk_scan.h"
#include "services/http/reply.h"
#include "services/http/resource.h"

#include <algorithm>
#include <array>
#include <boost/beast/http/basic_parser.hpp>
#include <string>
#include <string_view>

namespace serverlab {

class RequestParser final : private boost::beast::http::basic_parser<true> {
 public:
  using Verb = boost::beast::http::verb;

  struct Step {
    std::size_t consumed = 0;
    std::string_view refusal;  // the status, if it is refused
  };

  explicit RequestParser(std::uint64_t body_bytes_max) {
    header_limit(HeadScan::head_bytes_max);
    body_limit(body_bytes_max);
  }

  /// Parses lines of the head that are whole, but not the last one.
  Step parse_lines(std::string_view lines);

  /// Parses on: first the rest of the head, then a piece of the body. It needs more where it
  /// consumes nothing.
  Step parse(std::string_view input);

  using basic_parser::is_done;
  bool has_head() const { return is_header_done(); }

  // Known from the end of the request line on.
  Verb verb() const { return verb_; }
  const HttpResource& resource() const { return resource_; }
  // And from the end of the head on.
  bool has_length() const { return chunked() || content_length().has_value(); }
  bool expects_continue() const { return expects_continue_ && is_http_1_1_; }
  Persistence persistence() const {
    if (!keep_alive()) return Persistence::closed;
    return is_http_1_1_ ? Persistence::implied : Persistence::kept;
  }

  /// Of a request to `/echo`; what others send is not kept.
  ByteView body() const { return body_.view(); }

 private:
  using error = boost::beast::http::error;
  using error_code = boost::beast::error_code;
  using field = boost::beast::http::field;
  using Text = boost::beast::string_view;

  static std::string_view refusal_of(error_code reason) {
    if (reason == error::header_limit) return status::fields_too_large;
    return reason == error::body_limit ? status::content_too_large : status::bad_request;
  }

  void on_request_impl(Verb verb, Text, Text target, int version, error_code&) override {
    verb_ = verb;
    resource_ = http_resource({target.data(), target.size()});
    is_http_1_1_ = version == 11;
  }

  void on_field_impl(field name, Text text, Text value, error_code& reason) override {
    if (is_header_done()) return on_trailer_field_impl(name, text, value, reason);
    if (name == field::host) {
      ++hosts_;
    } else if (name == field::expect) {
      expects_continue_ = boost::beast::iequals(value, "100-continue");
    } else if (name == field::content_length) {
      // Beast takes lengths that are the same twice over, as the RFC allows.
      const bool has_comma = std::ranges::find(value, ',') != value.end();
      if (++lengths_ > 1 || has_comma) reason = error::bad_content_length;
    } else if (name == field::transfer_encoding) {
      // Beast takes codings that it does not know for none.
      if (!is_http_1_1_ || !boost::beast::iequals(value, "chunked")) {
        reason = error::bad_transfer_encoding;
      }
    }
  }

  // Called by Beast from Boost 1.90 on, before by on_field_impl. What says how the message ends or
  // what becomes of its connection stands in the head (RFC 9110, 6.5.1). Here Beast obeys it up to
  // Boost 1.89, and then passes it over: two readers of the same bytes would see two requests.
  // NOLINTNEXTLINE(*-use-override,*-explicit-virtual-functions): no base before Boost 1.90
  void on_trailer_field_impl(field name, Text, Text, error_code& reason) {
    constexpr std::array of_the_head = {field::connection,        field::proxy_connection,
                                        field::upgrade,           field::content_length,
                                        field::transfer_encoding, field::host};
    if (std::ranges::find(of_the_head, name) != of_the_head.end()) reason = error::bad_field;
  }

  // RFC 9112, 3.2.
  void on_header_impl(error_code& reason) override {
    if (hosts_ > 1 || (hosts_ == 0 && is_http_1_1_)) reason = error::bad_field;
  }

  std::size_t on_body_impl(Text piece, error_code&) override {
    if (resource_.kind == HttpResource::Kind::echo) {
      body_.append(std::string_view(piece.data(), piece.size()));
    }
    return piece.size();
  }

  void on_chunk_header_impl(std::uint64_t size, Text, error_code&) override { chunk_left_ = size; }

  std::size_t on_chunk_body_impl(std::uint64_t left, Text piece, error_code& reason) override {
    chunk_left_ = left - piece.size();
    return on_body_impl(piece, reason);
  }

  void on_response_impl(int, Text, int, error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  void on_finish_impl(error_code&) override {}

  Verb verb_ = Verb::unknown;
  HttpResource resource_;
  Bytes body_;
  std::uint64_t chunk_left_ = 0;  // bytes of a chunk's data that have not come
  ChunkScan chunk_line_{ChunkScan::Begin::body};
  std::uint8_t hosts_ = 0;
  std::uint8_t lengths_ = 0;
  bool is_http_1_1_ = false;
  bool expects_continue_ = false;
};

inline RequestParser::Step RequestParser::parse_lines(std::string_view lines) {
  // Beast looks at the byte behind a field, which could fold it; HeadScan has refused that.
  const std::string with_next = std::string(lines) + 'x';
  error_code reason;
  const std::size_t consumed = put({with_next.data(), with_next.size()}, reason);
  const bool waits = reason == error::need_more && consumed == lines.size();
  return {lines.size(), waits ? "" : refusal_of(reason)};
}

inline RequestParser::Step RequestParser::parse(std::string_view input) {
  if (is_header_done() && chunked() && chunk_left_ == 0) {
    switch (chunk_line_.scan(input)) {
      case ScanResult::incomplete: return {};
      case ScanResult::malformed: return {0, status::bad_request};
      case ScanResult::too_long: return {0, status::fields_too_large};
      case ScanResult::complete: break;
    }
    input = input.substr(0, chunk_line_.size());
    chunk_line_ = ChunkScan(ChunkScan::Begin::after_data);
  }
  if (input.empty()) return {};
  error_code reason;  // that Beast needs more is one, too: what must be whole is
  const std::size_t consumed = put({input.data(), input.size()}, reason);
  return {consumed, reason ? refusal_of(reason) : ""};
}

}  // namespace serverlab
