// The store behind the key-value services.

#include "services/kv/store.h"

#include <future>
#include <gtest/gtest.h>

namespace serverlab::kv {
namespace {

class StoreWith : public testing::TestWithParam<std::tuple<StoreLock, std::size_t>> {
 protected:
  Store store{std::get<1>(GetParam()), std::get<0>(GetParam())};

  std::string value_of(std::string_view key) {
    return store.read(key, [](const Entry* entry) {
      return entry == nullptr ? std::string("(none)") : entry->value;
    });
  }
  void put(std::string_view key, std::string_view value, Instant expires = Instant::max()) {
    store.change(key, [&](Store::Slot& slot) {
      slot.made() = {.value = std::string(value), .expires = expires};
    });
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
    slot.made().value = "v";
    EXPECT_EQ(slot.entry(), &slot.made());
    slot.erase();
    EXPECT_EQ(slot.entry(), nullptr);
    slot.made().value = "w";
  });
  EXPECT_EQ(value_of("k"), "w");
}

TEST_P(StoreWith, HasNoKeyWhoseLifeIsOver) {
  put("k", "v", now() - std::chrono::seconds(1));
  EXPECT_EQ(value_of("k"), "(none)");
  EXPECT_EQ(store.size(), 1U) << "until it is touched";
  store.change("k", [](Store::Slot& slot) { EXPECT_EQ(slot.entry(), nullptr); });
  EXPECT_EQ(store.size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(LocksAndShards, StoreWith,
                         testing::Combine(testing::Values(StoreLock::mutex, StoreLock::shared,
                                                          StoreLock::none),
                                          testing::Values(1, 2, 16, 1000)));

TEST(Store, LosesNoChangeOfManyThreads) {
  for (const StoreLock lock : {StoreLock::mutex, StoreLock::shared}) {
    Store store(2, lock);
    const auto add = [&store] {
      for (int i = 0; i < 10'000; ++i) {
        store.change(i % 2 == 0 ? "a" : "b", [](Store::Slot& slot) { slot.made().value += '.'; });
        store.read("a", [](const Entry* entry) {
          EXPECT_TRUE(entry == nullptr || entry->value.starts_with('.'));
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

}  // namespace
}  // namespace serverlab::kv
