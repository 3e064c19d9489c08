// Memory that ends in the middle of a change: each of its allocations fails in turn, and each time
// the stores and their accounts are as before, or as after.

#include "services/catalog.h"
#include "services/forum/store.h"
#include "services/kv/store.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <new>

namespace {

constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
std::size_t allocations_left = never;  // before one fails

void* allocated(std::size_t size) {
  if (allocations_left == 0) {
    allocations_left = never;
    throw std::bad_alloc();
  }
  if (allocations_left != never) --allocations_left;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) { return allocated(size); }
void* operator new[](std::size_t size) { return allocated(size); }
// Of std::stable_sort, which takes less if there is no room; not to be freed by another allocator.
void* operator new(std::size_t size, const std::nothrow_t& /*nothrow*/) noexcept {
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace serverlab {
namespace {

// Calls `use` and fails its allocation of that number, if it makes so many.
// @return whether one failed
template <class Use>
bool fails_at(std::size_t allocation, Use use) {
  allocations_left = allocation;
  try {
    use();
  } catch (const std::bad_alloc&) {
    return true;
  }
  allocations_left = never;
  return false;
}

const std::string long_value(100, 'l');
const std::string longer_value(300, 'm');
const std::string long_key(50, 'k');

// What a store holds, by key; with '!' if it expires.
using Content = std::map<std::string, std::string>;

Content content_of(kv::Store& store) {
  Content content;
  for (const std::string& key : {std::string("a"), std::string("b"), long_key}) {
    store.read(key, [&](const kv::Entry* entry) {
      if (entry == nullptr) return;
      content[key] =
          std::string(entry->value.view()) + (entry->expires == Instant::max() ? "" : "!");
    });
  }
  return content;
}

std::uint64_t bytes_in(kv::Store& store) {
  std::uint64_t bytes = 0;
  for (const std::string& key : {std::string("a"), std::string("b"), long_key}) {
    store.read(key, [&](const kv::Entry* entry) {
      if (entry == nullptr) return;
      bytes += kv::entry_overhead_bytes + key.size() + entry->value.capacity();
    });
  }
  return bytes;
}

struct Change {
  std::string name;
  void (*run)(kv::Store& store);

  friend void PrintTo(const Change& change, std::ostream* to) { *to << change.name; }
};

Instant in_an_hour() { return now() + std::chrono::hours(1); }

const Change changes[] = {
    {"puts a new key",
     [](kv::Store& store) { store.change("b", [](auto& slot) { slot.put(long_value); }); }},
    {"puts a long new key",
     [](kv::Store& store) { store.change(long_key, [](auto& slot) { slot.put("short"); }); }},
    {"puts a new key that expires",
     [](kv::Store& store) {
       store.change(long_key, [](auto& slot) { slot.put(long_value, in_an_hour()); });
     }},
    {"puts a longer value",
     [](kv::Store& store) { store.change("a", [](auto& slot) { slot.put(longer_value); }); }},
    {"puts a shorter value",
     [](kv::Store& store) { store.change("a", [](auto& slot) { slot.put("short"); }); }},
    {"puts a value of the same length that expires",
     [](kv::Store& store) {
       store.change("a", [](auto& slot) { slot.put(std::string(100, 'n'), in_an_hour()); });
     }},
    {"puts a longer value that expires",
     [](kv::Store& store) {
       store.change("a", [](auto& slot) { slot.put(longer_value, in_an_hour()); });
     }},
    {"appends",
     [](kv::Store& store) { store.change("a", [](auto& slot) { slot.append(longer_value); }); }},
    {"appends to nothing",
     [](kv::Store& store) { store.change("b", [](auto& slot) { slot.append(long_value); }); }},
    {"lets a key expire",
     [](kv::Store& store) { store.change("a", [](auto& slot) { slot.expire(in_an_hour()); }); }},
    {"erases", [](kv::Store& store) { store.change("a", [](auto& slot) { slot.erase(); }); }},
    {"clears", [](kv::Store& store) { store.clear(); }},
};

class StoreWithoutMemory : public testing::TestWithParam<Change> {};

TEST_P(StoreWithoutMemory, ChangesAnEntryWholeOrNotAtAll) {
  bool failed = true;
  for (std::size_t allocation = 0; failed; ++allocation) {
    const auto capacity = std::make_shared<Capacity>(1 << 20);
    kv::Store store(1, kv::StoreLock::mutex, capacity, now);
    store.change("a", [](auto& slot) { slot.put(long_value); });
    const Content before = content_of(store);
    failed = fails_at(allocation, [&] { GetParam().run(store); });
    EXPECT_EQ(content_of(store) == before, failed) << "at allocation " << allocation;
    EXPECT_EQ(capacity->held_bytes(), bytes_in(store)) << "at allocation " << allocation;
    EXPECT_EQ(store.size(), content_of(store).size());
    store.clear();
    EXPECT_EQ(capacity->held_bytes(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Changes, StoreWithoutMemory, testing::ValuesIn(changes));

struct Dialogue {
  std::string service;
  std::string before;
  std::string request;
  std::string question;              // what the request changed
  std::vector<std::string> replies;  // to the question: as before, …, as after

  friend void PrintTo(const Dialogue& dialogue, std::ostream* to) {
    *to << dialogue.service << ": " << dialogue.request.substr(0, 40);
  }
};

const std::string bulk_of_100 = "$100\r\n" + long_value + "\r\n";

Dialogue of_redis(const std::string& request, std::string question,
                  std::vector<std::string> replies) {
  return {"kv-resp", "SET a " + long_value + "\r\n", request + "\r\n", std::move(question),
          std::move(replies)};
}

const Dialogue dialogues[] = {
    of_redis("SET b " + long_value, "GET b\r\n", {"$-1\r\n", bulk_of_100}),
    of_redis("SET b 1 EX 1000", "TTL b\r\n", {":-2\r\n", ":1000\r\n"}),
    of_redis("GETSET a 1", "GET a\r\n", {bulk_of_100, "$1\r\n1\r\n"}),
    of_redis("APPEND a " + long_value, "STRLEN a\r\n", {":100\r\n", ":200\r\n"}),
    of_redis("APPEND b " + long_value, "STRLEN b\r\n", {":0\r\n", ":100\r\n"}),
    of_redis("INCRBY n 1000000000000000000", "STRLEN n\r\n", {":0\r\n", ":19\r\n"}),
    of_redis("EXPIRE a 1000", "TTL a\r\n", {":-1\r\n", ":1000\r\n"}),
    of_redis("DEL a", "EXISTS a\r\n", {":1\r\n", ":0\r\n"}),
    of_redis("FLUSHALL", "DBSIZE\r\n", {":1\r\n", ":0\r\n"}),
    of_redis("MSET x " + long_value + " y " + long_value, "EXISTS x y\r\n",
             {":0\r\n", ":1\r\n", ":2\r\n"}),
    {"kv-json",
     "",
     R"({"key":"k","type":"POST","value":")" + long_value + "\"}",
     R"({"key":"k","type":"GET"})",
     {R"({"code":404,"key":"k","type":"GET","value":""})",
      R"({"code":200,"key":"k","type":"GET","value":")" + long_value + "\"}"}},
    {"forum", "POST@a#x\n", "POST@topic#" + long_value + "\n", "LIST\n", {"@a\n", "@a#@topic\n"}},
    {"forum", "POST@a#x\n", "POST@a#" + long_value + "\n", "COUNT@a\n", {"1\n", "2\n"}},
    {"bucket", "", "0,99999\n", "1,1\n", {"1\n"}},
    {"echo", "", long_value, "hello", {"hello"}},
    {"http",
     "",
     "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n" + long_value,
     "x",
     {""}},
    {"http",
     "",
     "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
     "x",
     {""}},
    {"http", "", "GET /x HTTP/1.1\r\nHost: x\r\n", "x", {""}},
};

std::string answer_of(const Service& service, std::string_view request) {
  AnySession session = service.open({});
  Bytes output;
  session.advance(bytes_of(request), output);
  return std::string(text_of(output.view()));
}

class SessionWithoutMemory : public testing::TestWithParam<Dialogue> {};

// The session that had no memory is over; the others find the store well.
TEST_P(SessionWithoutMemory, LeavesTheStoreToTheOthersAsItWasOrAsItShouldBe) {
  const ServiceRow& row = *find_service(GetParam().service);
  bool failed = true;
  for (std::size_t allocation = 0; failed; ++allocation) {
    Settings settings;
    settings.add(row.service_settings);
    const Service service = row.service(settings);
    if (!GetParam().before.empty()) answer_of(service, GetParam().before);
    failed = fails_at(allocation, [&] { answer_of(service, GetParam().request); });
    const std::string reply = answer_of(service, GetParam().question);
    const std::vector<std::string>& replies = GetParam().replies;
    EXPECT_TRUE(std::ranges::find(replies, reply) != replies.end()) << reply;
    EXPECT_TRUE(failed || reply == replies.back()) << reply;
    if (GetParam().service.starts_with("kv-")) {
      const Figures figures = service.figures();
      const double keys = figures.at(0).second;
      const double held_bytes = figures.at(1).second;
      EXPECT_GE(held_bytes, keys * kv::entry_overhead_bytes);
      EXPECT_LE(held_bytes, keys * (kv::entry_overhead_bytes + 300));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Services, SessionWithoutMemory, testing::ValuesIn(dialogues));

TEST(ForumWithoutMemory, TakesAsManyMessagesAfterwards) {
  constexpr std::uint64_t capacity_bytes = 4096;
  const auto messages_of = [](bool with_failures) {
    forum::Store store(forum::Locking::mutex, capacity_bytes);
    for (std::size_t allocation = 0; with_failures && allocation < 3; ++allocation) {
      fails_at(allocation, [&] { store.post("@topic of more than 15 bytes", long_value); });
    }
    while (store.post("@topic of more than 15 bytes", long_value)) {
    }
    return store.messages();
  };
  EXPECT_EQ(messages_of(true), messages_of(false));
}

}  // namespace
}  // namespace serverlab
