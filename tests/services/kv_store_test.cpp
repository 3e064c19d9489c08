// The store behind the key-value services.

#include "services/kv/store.h"

#include <atomic>
#include <fmt/format.h>
#include <future>
#include <gtest/gtest.h>
#include <random>

namespace serverlab::kv {
namespace {

constexpr std::uint64_t plenty = 1 << 30;

std::shared_ptr<Capacity> capacity_of(std::uint64_t bytes) {
  return std::make_shared<Capacity>(bytes);
}

class StoreWith : public testing::TestWithParam<std::tuple<StoreLock, std::size_t>> {
 protected:
  Instant time{};
  Store store{std::get<1>(GetParam()), std::get<0>(GetParam()), capacity_of(plenty),
              [this] { return time; }};

  std::string value_of(std::string_view key) {
    return store.read(key, [](const Entry* entry) {
      return entry == nullptr ? std::string("(none)") : std::string(entry->value.view());
    });
  }
  void put(std::string_view key, std::string_view value, Instant expires = Instant::max()) {
    store.change(key, [&](Store::Slot& slot) { EXPECT_TRUE(slot.put(value, expires)); });
  }
};

TEST_P(StoreWith, KeepsEachKeysValue) {
  for (int i = 0; i < 1000; ++i) put(std::to_string(i), std::to_string(i * i));
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(value_of(std::to_string(i)), std::to_string(i * i));
  EXPECT_EQ(value_of("1000"), "(none)");
  EXPECT_EQ(store.size(), 1000U);
  store.clear();
  EXPECT_EQ(store.size(), 0U);
  EXPECT_EQ(value_of("1"), "(none)");
}

TEST_P(StoreWith, MakesAndErasesInOneChange) {
  store.change("k", [](Store::Slot& slot) {
    EXPECT_EQ(slot.entry(), nullptr);
    EXPECT_TRUE(slot.put("v"));
    EXPECT_EQ(slot.entry()->value.view(), "v");
    slot.erase();
    EXPECT_EQ(slot.entry(), nullptr);
    EXPECT_TRUE(slot.append("w"));
  });
  EXPECT_EQ(value_of("k"), "w");
}

TEST_P(StoreWith, HasNoKeyWhoseLifeIsOver) {
  put("k", "v", time + std::chrono::hours(1));
  time += std::chrono::hours(1) - Duration(1);
  EXPECT_EQ(value_of("k"), "v");
  time += Duration(1);
  EXPECT_EQ(value_of("k"), "(none)");
  EXPECT_EQ(store.size(), 1U) << "until it is touched";
  store.change("k", [](Store::Slot& slot) { EXPECT_EQ(slot.entry(), nullptr); });
  EXPECT_EQ(store.size(), 0U);
}

TEST_P(StoreWith, DropsWhatHasExpiredWithLaterChanges) {
  for (int i = 0; i < 1000; ++i) put(std::to_string(i), "v", time + std::chrono::hours(1));
  time += std::chrono::hours(1);
  for (int i = 0; i < 20'000; ++i) store.change(std::to_string(i), [](Store::Slot&) {});
  EXPECT_EQ(store.size(), 0U);
  EXPECT_EQ(store.capacity().held_bytes(), 0U);
}

TEST_P(StoreWith, ReleasesAllThatItHeld) {
  for (int i = 0; i < 100; ++i) {
    const std::string key(static_cast<std::size_t>(i), 'k');
    put(key, "v");
    put(key, std::string(100, 'v'), time + std::chrono::hours(1));
    put(key, std::string(10, 'v'));
    store.change(key, [](Store::Slot& slot) { EXPECT_TRUE(slot.append(std::string(50, 'v'))); });
    if (i % 2 == 0) store.change(key, [](Store::Slot& slot) { slot.erase(); });
  }
  EXPECT_GT(store.capacity().held_bytes(), 50 * entry_overhead_bytes);
  store.clear();
  EXPECT_EQ(store.capacity().held_bytes(), 0U);
}

INSTANTIATE_TEST_SUITE_P(LocksAndShards, StoreWith,
                         testing::Combine(testing::Values(StoreLock::mutex, StoreLock::shared,
                                                          StoreLock::none),
                                          testing::Values(1, 2, 16, 1000)));

TEST(Store, LosesNoChangeOfManyThreads) {
  for (const StoreLock lock : {StoreLock::mutex, StoreLock::shared}) {
    Store store(2, lock, capacity_of(plenty), now);
    const auto add = [&store] {
      for (int i = 0; i < 10'000; ++i) {
        store.change(i % 2 == 0 ? "a" : "b", [](Store::Slot& slot) { slot.append("."); });
        store.read("a", [](const Entry* entry) {
          EXPECT_TRUE(entry == nullptr || entry->value.view().starts_with('.'));
        });
      }
    };
    std::vector<std::future<void>> threads;
    for (int i = 0; i < 4; ++i) threads.push_back(std::async(std::launch::async, add));
    for (auto& thread : threads) thread.get();
    for (const char* key : {"a", "b"}) {
      EXPECT_EQ(store.read(key, [](const Entry* entry) { return entry->value.size(); }), 20'000U);
    }
  }
}

// A store of small capacity, and what it does with keys and values.
class FullStore : public testing::Test {
 protected:
  static constexpr std::uint64_t capacity_bytes = 10'000;

  FullStore() {
    while (put(fmt::format("key {}", keys_), value)) ++keys_;
  }

  bool put(std::string_view key, std::string_view put_value) {
    return store.change(key, [&](Store::Slot& slot) { return slot.put(put_value); });
  }
  bool append(std::string_view key, std::string_view tail) {
    return store.change(key, [&](Store::Slot& slot) { return slot.append(tail); });
  }
  std::uint64_t held() { return store.capacity().held_bytes(); }

  const std::string value = std::string(100, 'v');
  Store store{4, StoreLock::mutex, capacity_of(capacity_bytes), now};
  int keys_ = 0;
};

TEST_F(FullStore, HasAsManyEntriesAsItHasRoomFor) {
  const std::uint64_t entry_bytes =
      entry_overhead_bytes + std::string("key 1").size() + value.size();
  EXPECT_GE(held() + entry_bytes, capacity_bytes);
  EXPECT_LE(held(), capacity_bytes);
  EXPECT_EQ(store.size(), static_cast<std::size_t>(keys_));
}

TEST_F(FullStore, RefusesWhatGrowsAndChangesNothing) {
  const std::uint64_t before = held();
  EXPECT_FALSE(put("key 1", std::string(1000, 'w')));
  EXPECT_FALSE(append("key 1", std::string(1000, 'w')));
  EXPECT_FALSE(put("another", value));
  EXPECT_FALSE(append("another", value));
  EXPECT_EQ(held(), before);
  EXPECT_EQ(
      store.read("key 1", [](const Entry* entry) { return std::string(entry->value.view()); }),
      value);
  EXPECT_TRUE(store.read("another", [](const Entry* entry) { return entry == nullptr; }));
}

TEST_F(FullStore, TakesWhatDoesNotGrow) {
  EXPECT_TRUE(put("key 1", std::string(100, 'w')));
  EXPECT_TRUE(put("key 1", "w"));
  EXPECT_TRUE(put("key 1", value)) << "the room that was left";
  store.change("key 2", [](Store::Slot& slot) { slot.erase(); });
  EXPECT_TRUE(put("key Z", value));
  EXPECT_FALSE(put("another", value));
  store.clear();
  EXPECT_TRUE(put("another", value));
}

TEST_F(FullStore, MakesRoomByWhatHasExpiredInAnyShard) {
  const Instant past = now() - std::chrono::seconds(1);
  for (int i = 1; i < keys_; ++i) {
    store.change(fmt::format("key {}", i), [&](Store::Slot& slot) {
      if (slot.entry() != nullptr) slot.expire(past);
    });
  }
  store.change("key 0", [](Store::Slot& slot) {
    EXPECT_TRUE(slot.put(std::string(capacity_bytes - 2 * entry_overhead_bytes, 'w')));
  });
  EXPECT_EQ(store.size(), 1U);
}

TEST_F(FullStore, HasNoMoreThanItsCapacityWhateverManyThreadsDo) {
  std::atomic<bool> exceeded = false;
  const auto change = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 10'000; ++i) {
      const std::string key = fmt::format("key {}", random() % 50);
      const std::size_t size = random() % 200;
      switch (random() % 4) {
        case 0: put(key, std::string(size, 'x')); break;
        case 1: append(key, std::string(size, 'y')); break;
        case 2:
          store.change(key, [&](Store::Slot& slot) {
            if (slot.entry() != nullptr) slot.expire(now() + std::chrono::microseconds(size));
          });
          break;
        default:
          store.change(key, [](Store::Slot& slot) {
            if (slot.entry() != nullptr) slot.erase();
          });
      }
      if (held() > capacity_bytes) exceeded = true;
    }
  };
  std::vector<std::future<void>> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.push_back(std::async(std::launch::async, change, seed));
  }
  for (auto& thread : threads) thread.get();
  EXPECT_FALSE(exceeded);
  store.clear();
  EXPECT_EQ(held(), 0U);
}

TEST(Stores, ShareACapacity) {
  const auto capacity = capacity_of(10'000);
  Store one(1, StoreLock::none, capacity, now);
  Store other(1, StoreLock::none, capacity, now);
  const auto put = [](Store& store, std::size_t size) {
    return store.change("k", [&](Store::Slot& slot) { return slot.put(std::string(size, 'v')); });
  };
  EXPECT_TRUE(put(one, 6'000));
  EXPECT_FALSE(put(other, 6'000));
  EXPECT_TRUE(put(other, 3'000));
  one.clear();
  EXPECT_TRUE(put(other, 6'000));
}

}  // namespace
}  // namespace serverlab::kv
