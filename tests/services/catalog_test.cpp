// What holds for every row of the list of services.

#include "services/catalog.h"

#include <gtest/gtest.h>
#include <set>

namespace serverlab {
namespace {

Settings settings_of(std::span<const Setting> rows) {
  Settings settings;
  settings.add(rows);
  return settings;
}

TEST(ServiceCatalog, HasEachNameOnceAndFindsItsRow) {
  std::set<std::string_view> names;
  for (const ServiceRow& row : services()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_service(row.name), &row);
    EXPECT_FALSE(row.summary.empty());
  }
  EXPECT_EQ(find_service("no-such-service"), nullptr);
  EXPECT_EQ(find_service(""), nullptr);
}

// Both halves of each service, without a network between them.
TEST(ServiceCatalog, HasForEachServiceAWorkloadThatFindsItsRepliesRight) {
  for (const ServiceRow& row : services()) {
    SCOPED_TRACE(row.name);
    AnySession session = row.service(settings_of(row.service_settings)).open({});
    AnyClient client = row.workload(settings_of(row.workload_settings)).open(0);
    Bytes asked;
    Bytes replied;
    for (int i = 0; i < 100; ++i) {
      client.request(asked);
      Next next = Next::flush;
      while (next == Next::flush) {
        const Progress progress = session.advance(asked.view(), replied);
        asked.consume(progress.consumed);
        next = progress.next;
      }
      const Checked checked = client.check(replied.view());
      ASSERT_EQ(checked.verdict, Verdict::correct) << "in reply " << i;
      replied.consume(checked.consumed);
      ASSERT_TRUE(replied.empty()) << "more than the reply, at " << i;
    }
  }
}

}  // namespace
}  // namespace serverlab
