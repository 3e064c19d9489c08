// How a load is dealt: nothing is left, and nothing is dealt twice.

#include "load/load_options.h"

#include <gtest/gtest.h>
#include <set>

namespace serverlab {
namespace {

TEST(Share, DealsEachOnceWhateverTheNumberOfWorkers) {
  for (std::uint32_t workers = 1; workers <= 9; ++workers) {
    for (std::uint32_t all = 0; all <= 40; ++all) {
      std::set<std::uint32_t> dealt;
      for (std::uint32_t worker = 0; worker < workers; ++worker) {
        const Share share = {worker, workers};
        for (std::uint32_t i = 0; i < share.count(all); ++i) {
          EXPECT_TRUE(dealt.insert(share.number(i)).second);
          EXPECT_TRUE(share.has(share.number(i)));
        }
      }
      ASSERT_EQ(dealt.size(), all);
      EXPECT_TRUE(all == 0 || *dealt.rbegin() == all - 1);
    }
  }
}

TEST(Share, OfTheWorkersOfAllPartsIsThatOfAsManyWorkersInOne) {
  LoadOptions whole;
  whole.model.connections = 101;
  whole.threads = 6;
  EXPECT_EQ(whole.connections(), 101U);
  std::uint32_t worker_of_whole = 0;
  std::uint32_t connections = 0;
  for (std::uint32_t number = 1; number <= 3; ++number) {
    LoadOptions part = whole;
    part.threads = 1;
    part.processes = 2;
    part.part = {.number = number, .of = 3};
    connections += part.connections();
    for (std::uint32_t worker = 0; worker < part.workers(); ++worker, ++worker_of_whole) {
      EXPECT_EQ(part.share(worker).worker, whole.share(worker_of_whole).worker);
      EXPECT_EQ(part.share(worker).workers, whole.share(worker_of_whole).workers);
    }
  }
  EXPECT_EQ(connections, 101U);
}

}  // namespace
}  // namespace serverlab
