#include "services/kv/kv.h"

#include "services/kv/json_client.h"
#include "services/kv/json_session.h"
#include "services/kv/resp_client.h"
#include "services/kv/resp_request.h"
#include "services/kv/resp_session.h"

#include <fmt/format.h>
#include <map>
#include <random>

namespace serverlab::kv {
namespace {

/// One store for all sessions, or one for those of each thread that opens some.
class Stores {
 public:
  Stores(std::size_t shards, StoreLock lock, std::uint64_t capacity_bytes, TimeSource time) :
      shards_(shards),
      lock_(lock),
      capacity_(std::make_shared<Capacity>(capacity_bytes)),
      time_(std::move(time)) {}

  std::shared_ptr<Store> of_this_session() {
    thread_local const char thread = 0;
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<Store>& store = stores_[lock_ == StoreLock::none ? &thread : nullptr];
    if (!store) store = std::make_shared<Store>(shards_, lock_, capacity_, time_);
    return store;
  }

  Figures figures() {
    double keys = 0;
    double waits = 0;
    double waited_s = 0;
    for (const auto& [thread, store] : stores_) {
      keys += static_cast<double>(store->size());
      waits += static_cast<double>(store->waits().count);
      waited_s += store->waits().total_s();
    }
    return {{"keys", keys},
            {"held_bytes", capacity_->held_bytes()},
            {"lock_waits", waits},
            {"lock_wait_s", waited_s}};
  }

 private:
  std::size_t shards_;
  StoreLock lock_;
  std::shared_ptr<Capacity> capacity_;  // of all of them together
  TimeSource time_;
  std::mutex mutex_;
  std::map<const char*, std::shared_ptr<Store>> stores_;  // guarded by mutex_
};

StoreLock store_lock(const std::string& name) {
  if (name == "none-per-loop") return StoreLock::none;
  return name == "shared" ? StoreLock::shared : StoreLock::mutex;
}

template <class OneSession>
Service service(const Settings& settings, TimeSource time) {
  constexpr std::int64_t shards_max = 1 << 16;
  const auto shards = static_cast<std::size_t>(settings.count("kv-shards", 1, shards_max));
  const StoreLock lock = store_lock(settings.text("kv-lock"));
  constexpr std::uint64_t capacity_bytes_min = 4096;
  constexpr std::uint64_t capacity_bytes_max = 1ULL << 40;
  const auto stores = std::make_shared<Stores>(
      shards, lock, settings.size("kv-capacity", capacity_bytes_min, capacity_bytes_max),
      std::move(time));
  return {.open = [stores](const Service::Peer&) { return OneSession(stores->of_this_session()); },
          .figures = [stores] { return stores->figures(); },
          .thread_bound = lock == StoreLock::none};
}

template <class OneClient>
Workload workload(const Settings& settings, std::uint64_t value_bytes_max) {
  constexpr std::int64_t keys_max = 10'000'000;
  const auto keys = static_cast<std::uint32_t>(settings.count("kv-keys", 1, keys_max));
  const auto options = std::make_shared<const ScriptOptions>(ScriptOptions{
      .keys = std::make_shared<KeyChoice>(keys, settings.number("kv-zipf", 0, 10)),
      .value_bytes = static_cast<std::uint32_t>(settings.size("kv-value", 1, value_bytes_max)),
      .get_share = settings.number("kv-get-share", 0, 1),
      .run = std::random_device()(),
  });
  // A connection that is opened again has forgotten what it wrote, and is another writer.
  const auto opened = std::make_shared<std::atomic<std::uint32_t>>(0);
  return {.open = [options, opened](std::uint32_t connection) -> AnyClient {
            const std::uint64_t writer = (std::uint64_t{connection} << 32U) + opened->fetch_add(1);
            return OneClient(Script(options, writer));
          },
          .classes = {"get", "set"}};
}

}  // namespace

std::span<const Setting> service_settings() {
  constexpr auto group = "The key-value store";
  static constexpr Setting rows[] = {
      {"kv-shards", "COUNT", "16", "parts of the store, each with its lock", group},
      {"kv-lock", "mutex|shared|none-per-loop", "mutex",
       "of a shard; none-per-loop: a store without locks for each event loop", group},
      {"kv-capacity", "SIZE", "1 GiB", "memory for keys and values, about; then SET fails", group},
  };
  return rows;
}

std::span<const Setting> workload_settings() {
  constexpr auto group = "What is asked";
  static constexpr Setting rows[] = {
      {"kv-keys", "COUNT", "1000", "keys that are asked for", group},
      {"kv-zipf", "NUMBER", "0", "how uneven their shares are: the exponent; 0: all alike", group},
      {"kv-value", "SIZE", "64 B", "bytes of each value", group},
      {"kv-get-share", "NUMBER", "0.5", "of the requests; the others set", group},
  };
  return rows;
}

Service resp_service(const Settings& settings, TimeSource time) {
  return service<RespSession>(settings, std::move(time));
}

Service json_service(const Settings& settings, TimeSource time) {
  return service<JsonSession>(settings, std::move(time));
}

Workload resp_workload(const Settings& settings) {
  return workload<RespClient>(settings, bulk_bytes_max);
}

Workload json_workload(const Settings& settings) {
  constexpr std::size_t around_value = 64;  // braces, names and the longest key
  return workload<JsonClient>(settings, json_bytes_max - around_value);
}

}  // namespace serverlab::kv
