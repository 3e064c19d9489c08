#include "services/bucket/bucket.h"

#include "services/bucket/client.h"
#include "services/bucket/session.h"

#include <mutex>
#include <unordered_map>

namespace serverlab::bucket {
namespace {

constexpr std::int64_t buckets_max = 65'536;

constexpr std::int64_t delay_max = UINT32_MAX;  // in units; how many are allowed, the server knows

DelayKind delay_kind(const Settings& settings) {
  const std::string& name = settings.text("bucket-delay-kind");
  if (name == "cpu") return DelayKind::cpu;
  return name == "sleep" ? DelayKind::sleep : DelayKind::spin;
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
      {"bucket-delay-min", "COUNT", "1", "shortest delay, in the server's units", "What is asked"},
      {"bucket-delay-max", "COUNT", "3", "longest delay, in the server's units", "What is asked"},
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
  return {.open = [totals](int) { return BucketSession(totals); },
          .figures = [totals] { return totals->figures(); }};
}

Workload workload(const Settings& settings) {
  const std::int64_t shortest = settings.count("bucket-delay-min", 0, delay_max);
  const std::int64_t longest = settings.count("bucket-delay-max", shortest, delay_max);
  const auto histories = std::make_shared<Histories>(
      BucketLoad{.buckets = static_cast<std::uint32_t>(settings.count("buckets", 1, buckets_max)),
                 .delay_min = static_cast<std::uint32_t>(shortest),
                 .delay_max = static_cast<std::uint32_t>(longest),
                 .seed = static_cast<std::uint64_t>(settings.count("bucket-seed", 0, INT64_MAX))});
  return {.open = [histories](std::uint32_t connection) {
    return BucketClient(histories->of(connection));
  }};
}

}  // namespace serverlab::bucket
