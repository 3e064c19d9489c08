#include "services/bucket/bucket.h"

#include "services/bucket/client.h"
#include "services/bucket/session.h"

#include <charconv>
#include <fmt/format.h>
#include <mutex>
#include <unordered_map>

namespace serverlab::bucket {
namespace {

constexpr std::int64_t buckets_max = 65'536;

DelayKind delay_kind(const Settings& settings) {
  const std::string& name = settings.text("bucket-delay-kind");
  if (name == "cpu") return DelayKind::cpu;
  return name == "sleep" ? DelayKind::sleep : DelayKind::spin;
}

struct DelayRange {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
};

// "1-3", or "2" for 2 alone. How many units are too many, the server knows.
DelayRange delay_range(const Settings& settings) {
  const std::string& text = settings.text("bucket-delay");
  const char* const end = text.data() + text.size();
  DelayRange range;
  const auto first = std::from_chars(text.data(), end, range.min);
  const bool is_range = first.ec == std::errc() && first.ptr != end && *first.ptr == '-';
  range.max = range.min;
  const auto last = is_range ? std::from_chars(first.ptr + 1, end, range.max) : first;
  if (last.ec != std::errc() || last.ptr != end || range.min > range.max) {
    throw BadSetting(
        fmt::format("--bucket-delay: '{}' is not a range of delays such as 1-3", text));
  }
  return range;
}

/// The histories of the connections. They open from several threads.
class Histories {
 public:
  explicit Histories(const BucketLoad& load) : load_(load) {}

  std::shared_ptr<BucketHistory> of(std::uint32_t connection) {
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<BucketHistory>& history = by_connection_[connection];
    if (!history) history = std::make_shared<BucketHistory>(load_, connection);
    return history;
  }

 private:
  BucketLoad load_;
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::shared_ptr<BucketHistory>> by_connection_;
};

}  // namespace

std::span<const Setting> service_settings() {
  static constexpr Setting rows[] = {
      {"buckets", "COUNT", "32", "buckets, numbered from 0", "The bucket server"},
      {"bucket-delay-kind", "spin|cpu|sleep", "spin",
       "a delay is wall time, busy; CPU time of the thread; wall time, idle", "The bucket server"},
      {"bucket-delay-unit", "DURATION", "1 us", "what a delay of 1 is; the hand-out's is 1 s",
       "The bucket server"},
      {"bucket-requests", "many|one", "many", "one: answer one a connection, and close it",
       "The bucket server"},
  };
  return rows;
}

std::span<const Setting> workload_settings() {
  static constexpr Setting rows[] = {
      {"buckets", "COUNT", "32", "add to the buckets below, each as often", "What is asked"},
      {"bucket-delay", "RANGE", "1-3", "delays in the server's units, each as often",
       "What is asked"},
      {"bucket-seed", "COUNT", "1", "of the choice of delays and buckets", "What is asked"},
  };
  return rows;
}

Service service(const Settings& settings) {
  const auto totals = std::make_shared<BucketTotals>(BucketOptions{
      .buckets = static_cast<std::size_t>(settings.count("buckets", 1, buckets_max)),
      .delay_kind = delay_kind(settings),
      .delay_unit = settings.duration("bucket-delay-unit", Duration(1), bucket_delay_max),
      .one_request = settings.text("bucket-requests") == "one"});
  return {.open = [totals](const Service::Peer&) { return BucketSession(totals); },
          .figures = [totals] { return totals->figures(); }};
}

Workload workload(const Settings& settings) {
  const DelayRange delays = delay_range(settings);
  const auto histories = std::make_shared<Histories>(
      BucketLoad{.buckets = static_cast<std::uint32_t>(settings.count("buckets", 1, buckets_max)),
                 .delay_min = delays.min,
                 .delay_max = delays.max,
                 .seed = static_cast<std::uint64_t>(settings.count("bucket-seed", 0, INT64_MAX))});
  return {.open = [histories](std::uint32_t connection) {
    return BucketClient(histories->of(connection));
  }};
}

}  // namespace serverlab::bucket
