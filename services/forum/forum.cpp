#include "services/forum/forum.h"

#include "services/forum/poster.h"
#include "services/forum/reader.h"
#include "services/forum/session.h"

#include <algorithm>

namespace serverlab::forum {
namespace {

constexpr auto the_forum = "The forum";
constexpr auto what_is_asked = "What is asked";

constexpr Setting service_rows[] = {
    {"forum-lock", "mutex|exclusive|shared|sharded", "shared",
     "exclusive: a shared mutex that readers do not share; sharded: one for a 64th of the topics",
     the_forum},
    {"forum-parser", "prefix|regex|regex-once", "prefix",
     "regex: builds its expressions for each request, as the report's server; regex-once: once",
     the_forum},
    {"forum-exit", "close|stop", "close", "EXIT ends its connection, or the server with it",
     the_forum},
    {"forum-first", "any|post|read", "any",
     "which requests go first where the engine takes the most urgent (--queue=priority)",
     the_forum},
    {"forum-capacity", "SIZE", "1 GiB", "memory for topics and messages, about; then POST fails",
     the_forum},
};

constexpr Setting workload_rows[] = {
    {"forum-posters", "COUNT", "half",
     "connections that post, the others read; half: every second one posts", what_is_asked},
    {"forum-topics", "own|shared", "own", "each poster has a topic of its own, or all have one",
     what_is_asked},
    {"forum-reads", "first|walk", "first",
     "readers read id 0 of a poster's topic, as the report's did, or every id in turn",
     what_is_asked},
    {"forum-asks", "read|all", "read",
     "readers READ, or READ, COUNT, LIST and ask something unknown in turn", what_is_asked},
    {"forum-message", "SIZE", "16 B", "bytes of a message, or what its stamp needs if that is more",
     what_is_asked},
    {"forum-framing", "nul|lf|crlf", "nul", "what ends a line; the course's is nul", what_is_asked},
    {"forum-validate", "on|off", "on", "check every id and text, or only that there is a reply",
     what_is_asked},
};

Locking locking(const std::string& name) {
  using enum Locking;
  if (name == "mutex") return mutex;
  if (name == "exclusive") return exclusive;
  return name == "shared" ? shared : sharded;
}

Parse parser(const std::string& name) {
  if (name == "regex") return parse_regex;
  return name == "regex-once" ? parse_regex_once : parse_prefix;
}

std::string_view ending(const std::string& framing) {
  if (framing == "lf") return "\n";
  return framing == "crlf" ? std::string_view("\r\n") : std::string_view("\0", 1);
}

Figures figures(Forum& forum) {
  const LockWaits& posts = forum.store.post_waits();
  const LockWaits& reads = forum.store.read_waits();
  return {{"topics", forum.store.topics()}, {"messages", forum.store.messages()},
          {"post_lock_waits", posts.count}, {"post_lock_wait_s", posts.total_s()},
          {"read_lock_waits", reads.count}, {"read_lock_wait_s", reads.total_s()}};
}

/// Which connections post, and which topic each of the others reads.
class Roles {
 public:
  explicit Roles(const Settings& settings) {
    constexpr std::int64_t posters_max = 1 << 24;
    if (settings.text("forum-posters") != "half") {
      posters_ = static_cast<std::uint32_t>(settings.count("forum-posters", 0, posters_max));
    }
  }

  bool posts(std::uint32_t connection) const {
    return posters_ ? connection < *posters_ : connection % 2 == 0;
  }

  /// The poster that a connection is, or whose topic it reads.
  std::uint32_t poster(std::uint32_t connection) const {
    return posters_ ? connection % std::max(1U, *posters_) : connection / 2;
  }

 private:
  std::optional<std::uint32_t> posters_;
};

}  // namespace

std::span<const Setting> service_settings() { return service_rows; }

std::span<const Setting> workload_settings() { return workload_rows; }

Service service(const Settings& settings) {
  constexpr std::uint64_t capacity_bytes_min = 4096;
  constexpr std::uint64_t capacity_bytes_max = 1ULL << 40;
  const auto forum = std::make_shared<Forum>(
      locking(settings.text("forum-lock")),
      settings.size("forum-capacity", capacity_bytes_min, capacity_bytes_max),
      parser(settings.text("forum-parser")));
  Service service = {.open = [forum](const Service::Peer&) { return ForumSession(forum); },
                     .figures = [forum] { return figures(*forum); }};
  if (const std::string& first = settings.text("forum-first"); first != "any") {
    service.urgency = [verb = std::string_view(first == "post" ? "POST" : "READ")](ByteView input) {
      return text_of(input).starts_with(verb) ? 1 : 0;
    };
  }
  if (settings.text("forum-exit") == "stop") {
    service.set_stop = [forum](std::function<void()> stop) { forum->stop = std::move(stop); };
  }
  return service;
}

Workload workload(const Settings& settings) {
  constexpr std::uint64_t message_bytes_max = 1000;
  const WorkloadOptions options = {
      .message_bytes = settings.size("forum-message", 1, message_bytes_max),
      .share_topic = settings.text("forum-topics") == "shared",
      .walk = settings.text("forum-reads") == "walk",
      .ask_all = settings.text("forum-asks") == "all",
      .validate = settings.flag("forum-validate"),
      .ending = ending(settings.text("forum-framing"))};
  return {.open = [options, roles = Roles(settings)](std::uint32_t connection) -> AnyClient {
            const std::uint32_t poster = roles.poster(connection);
            if (roles.posts(connection)) return Poster(options, poster);
            return Reader(options, poster);
          },
          .classes = {"post", "read", "count", "list", "unknown"}};
}

}  // namespace serverlab::forum
