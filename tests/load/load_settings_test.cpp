// What a load may be told, what it may not, and the sentence it says then.

#include "load/load_options.h"

#include <gtest/gtest.h>

namespace serverlab {
namespace {

using Given = std::vector<std::pair<std::string_view, std::string_view>>;

LoadOptions options_of(const Given& given) {
  Settings settings;
  settings.add(load_settings());
  settings.add(socket_settings());
  settings.set("target", "127.0.0.1:7000");
  for (const auto& [name, value] : given) settings.set(name, value);
  return load_options(settings, 2);
}

std::string complaint(const Given& given) {
  try {
    options_of(given);
  } catch (const BadSetting& error) {
    return error.what();
  }
  return "taken without complaint";
}

TEST(LoadOptions, AreThoseOfOneClosedConnectionWhenOnlyTheTargetIsGiven) {
  const LoadOptions options = options_of({});
  ASSERT_EQ(options.targets.size(), 1U);
  EXPECT_EQ(options.targets.front().to_string(), "127.0.0.1:7000");
  EXPECT_EQ(options.model.name, ModelName::closed);
  EXPECT_EQ(options.model.connections, 1U);
  EXPECT_EQ(options.model.depth, 1U);
  EXPECT_EQ(options.workers(), 1U);
  EXPECT_EQ(options.duration, std::chrono::seconds(10));
  EXPECT_TRUE(options.sources.empty());
}

TEST(LoadOptions, AreAsTheyWereSet) {
  const LoadOptions options = options_of({{"connections", "100"},
                                          {"depth", "16"},
                                          {"threads", "2"},
                                          {"processes", "3"},
                                          {"duration", "5 min"},
                                          {"warmup", "auto"},
                                          {"timeout", "250ms"},
                                          {"nodelay", "off"}});
  EXPECT_EQ(options.model.connections, 100U);
  EXPECT_EQ(options.model.depth, 16U);
  EXPECT_EQ(options.workers(), 6U);
  EXPECT_EQ(options.duration, std::chrono::minutes(5));
  EXPECT_TRUE(options.warmup_until_steady);
  EXPECT_EQ(options.timeout, std::chrono::milliseconds(250));
  EXPECT_FALSE(options.socket.nodelay);
}

TEST(LoadOptions, NameEveryModelAsItIsSet) {
  for (const std::string_view name : model_names) {
    const bool has_rate = name != "closed" && name != "churn";
    const LoadOptions options = options_of({{"model", name}, {"rate", has_rate ? "100" : "0"}});
    EXPECT_EQ(model_names[static_cast<std::size_t>(options.model.name)], name);
  }
}

TEST(LoadOptions, NeedATarget) {
  Settings settings;
  settings.add(load_settings());
  settings.add(socket_settings());
  EXPECT_THROW(load_options(settings, 2), BadSetting);
}

TEST(LoadOptions, SayWhichSettingIsWrongAndWhatIsAllowed) {
  const std::pair<Given, std::string> cases[] = {
      {{{"connections", "0"}}, "--connections: '0' is not a whole number from 1 to 16777216"},
      {{{"depth", "65537"}}, "--depth: '65537' is not a whole number from 1 to 65536"},
      {{{"duration", "0s"}}, "--duration: '0s' is not between 0.001s and 86400s"},
      {{{"duration", "ten"}}, "--duration: 'ten' is not a duration such as 10s, 1.5ms or 250us"},
      {{{"timeout", "2h"}}, "--timeout: '2h' is not between 0.001s and 3600s"},
      {{{"warmup", "long"}}, "--warmup: 'long' is not a duration such as 10s, 1.5ms or 250us"},
      {{{"model", "shut"}},
       "--model: 'shut' is not one of closed|open|open-bounded|sessions|churn|ramp|hold"},
      {{{"rate", "fast"}, {"model", "open"}}, "--rate: 'fast' is not a number from 0 to 10000000"},
      {{{"server-pid", "x"}}, "--server-pid: 'x' is not a whole number from 1 to 2147483647"},
  };
  for (const auto& [given, sentence] : cases) EXPECT_EQ(complaint(given), sentence);
}

TEST(LoadOptions, RefuseWhatContradictsItself) {
  const std::pair<Given, std::string> cases[] = {
      {{{"threads", "2"}}, "--connections: 2 workers cannot share 1 connections"},
      {{{"model", "open"}}, "--rate: this model needs a rate above 0 per second"},
      {{{"rate", "100"}}, "--rate: a closed loop has no rate of its own; --model=open has"},
      {{{"target", "127.0.0.1:1 127.0.0.1:2"}},
       "--target: several targets need --slice=200ms, in which they take turns"},
      {{{"model", "ramp"}, {"slice", "200ms"}}, "--slice: a ramp cannot be cut into slices"},
      {{{"server-pid", "1 2"}}, "--server-pid: as many as there are targets, or none"},
  };
  for (const auto& [given, sentence] : cases) EXPECT_EQ(complaint(given), sentence);
}

TEST(LoadOptions, RefuseMoreConnectionsThanThereAreDescriptorsAndSayHowManyProcessesWouldDo) {
  const std::string said = complaint({{"connections", "16000000"}});
  EXPECT_TRUE(said.starts_with("--connections: 16000000 need ")) << said;
  EXPECT_NE(said.find("--processes="), std::string::npos) << said;
}

}  // namespace
}  // namespace serverlab
