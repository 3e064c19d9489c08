// The request that --http-… describe, and what its replies are held against.

#include "services/http/client.h"
#include "services/http/http.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace serverlab::http {
namespace {

// RFC 9110, 5.6.2: what methods and names of fields are made of.
bool is_token(std::string_view text) {
  constexpr std::string_view token_characters =
      "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return !text.empty() && text.find_first_not_of(token_characters) == text.npos;
}

// Nothing that ends a line or a word of the request line, or that a terminal would obey.
bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

/// With --payload the resource of so many bytes.
std::string path_of(const Settings& settings) {
  if (settings.is_set("payload")) {
    for (const std::string_view name : {"http-path", "http-method", "http-body"}) {
      if (!settings.is_set(name)) continue;
      throw BadSetting(fmt::format("--payload: it asks for GET /bytes/N, and --{} does not", name));
    }
    return fmt::format("/bytes/{}", settings.size("payload", 0, http_bytes_max));
  }
  const std::string& path = settings.text("http-path");
  if (!path.starts_with('/') || !std::ranges::all_of(path, is_visible)) {
    throw BadSetting(fmt::format(
        "--http-path: '{}' does not begin with / or has a space; write %20 for a space", path));
  }
  return path;
}

const std::string& method_of(const Settings& settings) {
  const std::string& method = settings.text("http-method");
  if (!is_token(method)) throw BadSetting(fmt::format("--http-method: '{}' is no method", method));
  return method;
}

// Each connection keeps a copy. A file may have no end, such as /dev/zero.
constexpr std::size_t body_bytes_max = 64 << 20;

/// The text, or the file that @ names.
std::string body_of(const Settings& settings) {
  const std::string& text = settings.text("http-body");
  if (!text.starts_with('@')) return text;
  std::ifstream file(text.substr(1), std::ios::binary);
  std::string body(body_bytes_max + 1, '\0');
  file.read(body.data(), static_cast<std::streamsize>(body.size()));
  if (!file.is_open() || file.bad()) {
    throw BadSetting(fmt::format("--http-body: cannot read the file {}", text.substr(1)));
  }
  if (file.good()) {
    throw BadSetting(
        fmt::format("--http-body: the file {} has more than {} MiB; choose a smaller "
                    "one",
                    text.substr(1), body_bytes_max >> 20));
  }
  body.resize(static_cast<std::size_t>(file.gcount()));
  body.shrink_to_fit();
  return body;
}

struct Fields {
  std::string lines;  // each with its end
  bool has_host = false;
};

Fields fields_of(const Settings& settings) {
  Fields fields;
  std::istringstream lines(settings.text("http-headers"));
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    const std::string name = line.substr(0, line.find(':'));
    const auto is_of_value = [](char c) { return c == '\t' || (c >= ' ' && c != '\x7f'); };
    if (name.size() == line.size() || !is_token(name) ||
        !std::ranges::all_of(line.substr(name.size()), is_of_value)) {
      throw BadSetting(fmt::format("--http-headers: '{}' is not NAME: VALUE", line));
    }
    std::string small = name;
    std::ranges::transform(small, small.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (small == "content-length" || small == "transfer-encoding") {
      throw BadSetting(fmt::format("--http-headers: {} follows from --http-body", name));
    }
    fields.has_host |= small == "host";
    fields.lines += line + "\r\n";
  }
  return fields;
}

/// What is known of the reply of a server that has the resources of the service.
KnownContent known_content(std::string_view method, std::string_view path, std::string body) {
  const HttpResource resource = http_resource(path);
  const bool is_echo = resource.kind == HttpResource::Kind::echo;
  if (method != (is_echo ? "POST" : "GET")) return {};
  return {.resource = resource, .echoed = is_echo ? std::move(body) : ""};
}

HttpCheck check_of(const Settings& settings, const KnownContent& known) {
  const std::string& name = settings.text("http-check");
  const bool is_known = known.resource.kind != HttpResource::Kind::none;
  if (name == "exact" && !is_known) {
    throw BadSetting(
        "--http-check=exact: only the content of GET /, GET /bytes/N and POST /echo is known; "
        "choose same, length or status");
  }
  if (name == "exact" || (name == "auto" && is_known)) return HttpCheck::exact;
  if (name == "length") return HttpCheck::length;
  return name == "status" ? HttpCheck::status : HttpCheck::same;
}

}  // namespace

std::span<const Setting> workload_settings() {
  static constexpr std::string_view group = "What is asked";
  static constexpr Setting rows[] = {
      {"payload", "SIZE", "", "bytes of each reply: asks for /bytes/N", group},
      {"http-path", "PATH", "/", "path, perhaps with a query: the service has / and /bytes/N",
       group},
      {"http-method", "METHOD", "GET", "method of the request", group},
      {"http-headers", "LINES", "", "further fields, NAME: VALUE, one a line", group},
      {"http-body", "TEXT", "", "body of the request; @FILE reads a file", group},
      {"http-status", "COUNT", "200", "status that each reply has to have", group},
      {"http-check", "auto|exact|same|length|status", "auto",
       "what else is checked: every byte, that replies are the same or as long, or nothing; "
       "auto: exact where the content is known, else same",
       group},
  };
  return rows;
}

Workload workload(const Settings& settings) {
  const std::string path = path_of(settings);
  const std::string& method = method_of(settings);
  const std::string body = body_of(settings);
  const Fields fields = fields_of(settings);
  const KnownContent known = known_content(method, path, body);
  const bool has_body = !body.empty() || method == "POST" || method == "PUT";
  const std::string length =
      has_body ? fmt::format("Content-Length: {}\r\n", body.size()) : std::string();
  const auto load = std::make_shared<const HttpLoad>(HttpLoad{
      .request =
          fmt::format("{} {} HTTP/1.1\r\n{}{}{}\r\n{}", method, path,
                      fields.has_host ? "" : "Host: serverlab\r\n", fields.lines, length, body),
      .is_of_head = method == "HEAD",
      .status = static_cast<int>(settings.count("http-status", 200, 599)),
      .check = check_of(settings, known),
      .content = known,
  });
  return {.open = [load](std::uint32_t) { return HttpClient(load); }};
}

}  // namespace serverlab::http
