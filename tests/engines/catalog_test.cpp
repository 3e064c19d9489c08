// What holds for every row of the list of engines.

#include "engines/catalog.h"

#include "net/socket_options.h"

#include <gtest/gtest.h>
#include <set>

namespace serverlab {
namespace {

std::set<std::string_view> names_of(std::span<const Setting> rows) {
  std::set<std::string_view> names;
  for (const Setting& row : rows) names.insert(row.name);
  return names;
}

TEST(EngineCatalog, HasEachNameOnceAndFindsItsRow) {
  std::set<std::string_view> names;
  for (const Engine& engine : engines()) {
    EXPECT_TRUE(names.insert(engine.name).second) << engine.name;
    EXPECT_EQ(find_engine(engine.name), &engine);
    EXPECT_FALSE(engine.model.empty()) << engine.name;
    EXPECT_NE(engine.serve, nullptr) << engine.name;
  }
  EXPECT_EQ(find_engine("no-such-engine"), nullptr);
}

TEST(EngineCatalog, ComparesEachEngineWithAnotherOfTheListOrBeginsAFamily) {
  for (const Engine& engine : engines()) {
    SCOPED_TRACE(engine.name);
    EXPECT_EQ(engine.neighbour.empty(), engine.difference.empty());
    EXPECT_NE(engine.neighbour, engine.name);
    EXPECT_TRUE(engine.neighbour.empty() || find_engine(engine.neighbour) != nullptr);
  }
}

TEST(EngineCatalog, NamesOnlySettingsThatExist) {
  std::set<std::string_view> shared = names_of(serve_settings());
  shared.merge(names_of(socket_settings()));
  const std::set<std::string_view> single = names_of(engine_settings());
  for (const Engine& engine : engines()) {
    for (const std::string_view name : engine.unsupported_settings)
      EXPECT_TRUE(shared.contains(name)) << name;
    for (const std::string_view name : engine.extra_settings)
      EXPECT_TRUE(single.contains(name)) << name;
  }
}

TEST(EngineCatalog, HasAnEngineForEverySettingOfSingleEngines) {
  std::set<std::string_view> known;
  for (const Engine& engine : engines()) {
    for (const std::string_view name : engine.extra_settings) known.insert(name);
  }
  for (const Setting& setting : engine_settings()) {
    EXPECT_TRUE(known.contains(setting.name)) << setting.name;
  }
}

}  // namespace
}  // namespace serverlab
