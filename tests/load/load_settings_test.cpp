// Settings that a load accepts, those that it refuses, and the message of each refusal.

#include "load/load_settings.h"

#include "load/models/catalog.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

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
  } catch (const Unsupported& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LoadSettings, AreThoseOfOneClosedConnectionWhenOnlyTheTargetIsGiven) {
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

TEST(LoadSettings, OfAPartAreThoseOfTheWholeAndWhichPartItIs) {
  const LoadOptions options = options_of({{"connections", "10"}, {"part", "2/3"}});
  EXPECT_EQ(options.part.number, 2U);
  EXPECT_EQ(options.part.of, 3U);
  EXPECT_EQ(options.model.connections, 10U);
  EXPECT_EQ(options.connections(), 3U);
}

TEST(LoadSettings, RefuseAPartThatIsNone) {
  for (const std::string_view text : {"", "2", "/", "1/", "/2", "a/b", "1/2/3", "-1/2", "1/2x"}) {
    EXPECT_EQ(complaint({{"part", text}}),
              fmt::format("--part: '{}' is not a number and the number of parts, as 2/3", text));
  }
  EXPECT_EQ(complaint({{"part", "0/2"}}), "--part: there is no part 0 of 2");
  EXPECT_EQ(complaint({{"part", "3/2"}}), "--part: there is no part 3 of 2");
  EXPECT_EQ(complaint({{"part", "1/0"}}), "--part: there is no part 1 of 0");
  EXPECT_EQ(complaint({{"part", "1/1001"}}), "--part: at most 1000 parts");
  EXPECT_EQ(complaint({{"part", "1/3"}, {"connections", "2"}}),
            "--connections: 3 workers cannot share 2 connections");
}

TEST(LoadSettings, RefuseForAPartWhatEachPartWouldDoAtAnotherTime) {
  EXPECT_EQ(complaint({{"part", "1/2"}, {"connections", "2"}, {"warmup", "auto"}}),
            "--warmup=auto: parts of a load would end their warm-ups at different times");
  EXPECT_EQ(complaint({{"part", "1/2"}, {"connections", "2"}, {"slice", "50ms"}}),
            "--slice: parts of a load would move on to the next target at different times, unless "
            "they are told when: --begin=told");
}

TEST(LoadSettings, AreAsTheyWereSet) {
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

TEST(LoadSettings, NameEveryModelAsItIsSet) {
  for (const LoadModel& model : load_models()) {
    Given given = {{"model", model.name}};
    if (model.has_rate) given.emplace_back("rate", "100");
    const LoadOptions options = options_of(given);
    EXPECT_EQ(options.model.name, model.model);
    EXPECT_EQ(name_of(options.model.name), model.name);
  }
}

TEST(LoadSettings, RampConnectionsWithoutARateAndTheRateWithOne) {
  const ModelOptions connections =
      options_of({{"model", "ramp"}, {"connections", "100"}, {"ramp-from", "7"}}).model;
  EXPECT_EQ(connections.connection_ramp.from, 7U);
  EXPECT_EQ(connections.rate.from_per_s, 0);
  const ModelOptions rate =
      options_of({{"model", "ramp"}, {"rate", "100"}, {"ramp-from", "7.5"}}).model;
  EXPECT_EQ(rate.connection_ramp.from, 0U);
  EXPECT_EQ(rate.rate.from_per_s, 7.5);
}

TEST(LoadSettings, RequireATarget) {
  Settings settings;
  settings.add(load_settings());
  settings.add(socket_settings());
  EXPECT_THROW(load_options(settings, 2), BadSetting);
}

TEST(LoadSettings, SayWhichSettingIsWrongAndWhatIsAllowed) {
  const std::pair<Given, std::string> cases[] = {
      {{{"connections", "0"}}, "--connections: '0' is not a whole number from 1 to 16777216"},
      {{{"model", "ramp"}, {"ramp-from", "1.5"}},
       "--ramp-from: '1.5' is not a whole number from 0 to 16777216"},
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

TEST(LoadSettings, HaveNoWarmUpWhereClientsHaveAnEndOfTheirOwn) {
  const LoadOptions sessions = options_of({{"model", "churn"}, {"sessions", "3"}});
  EXPECT_EQ(sessions.warmup, Duration::zero());
  EXPECT_EQ(sessions.window_limit(), sessions.duration);
  const LoadOptions own = options_of({{"start", "own"}, {"warmup", "0s"}});
  EXPECT_EQ(own.warmup, Duration::zero());
  EXPECT_EQ(own.window_limit(), own.duration + own.connect_timeout);
  EXPECT_FALSE(own.model.keeps_open());
}

TEST(LoadSettings, RefuseWhatContradictsItself) {
  const std::pair<Given, std::string> cases[] = {
      {{{"threads", "2"}}, "--connections: 2 workers cannot share 1 connections"},
      {{{"model", "open"}}, "--rate: --model=open needs a rate above 0 per second"},
      {{{"target", "127.0.0.1:1 127.0.0.1:2"}},
       "--target: several targets need --slice=200ms, in which they take turns"},
      {{{"server-pid", "1 2"}}, "--server-pid: as many as there are targets, or none"},
      {{{"start", "own"}, {"warmup", "1s"}},
       "--warmup: with --start=own there is none; remove it, or write 0s"},
      {{{"model", "churn"}, {"sessions", "3"}, {"warmup", "auto"}},
       "--warmup: with --sessions there is none; remove it, or write 0s"},
      {{{"start", "own"}, {"slice", "1s"}},
       "--slice: with --start=own the load is not divided into slices; remove one of the two"},
  };
  for (const auto& [given, sentence] : cases) EXPECT_EQ(complaint(given), sentence);
}

// A setting's own fallback, so that nothing but the model can be against it.
Given only(const LoadModel& model, std::string_view setting) {
  Given given = {{"model", model.name}};
  if (model.has_rate) given.emplace_back("rate", "100");
  for (const Setting& row : load_settings()) {
    const bool is_needed = (setting == "burst" && row.name == "throttle") ||
                           (setting == "think-varies" && row.name == "think") ||
                           (setting == "order" && row.name == "slice");
    if (row.name == setting && setting != "rate") given.emplace_back(setting, row.fallback);
    if (is_needed) given.emplace_back(row.name, row.fallback);
  }
  return given;
}

TEST(LoadSettings, RefuseASettingThatTheModelDoesNotUseAndTakeThoseThatItUses) {
  std::set<std::string_view> of_some;
  for (const LoadModel& model : load_models()) {
    of_some.insert(model.settings.begin(), model.settings.end());
  }
  for (const LoadModel& model : load_models()) {
    for (const std::string_view setting : of_some) {
      const bool used = std::ranges::find(model.settings, setting) != model.settings.end();
      const bool makes_another_row = setting == "rate" && model.model == ModelName::ramp;
      if (makes_another_row) continue;
      Given given = only(model, setting);
      if (setting == "rate" && !model.has_rate) given.emplace_back("rate", "100");
      const std::string said = complaint(given);
      if (used) {
        EXPECT_EQ(said, "accepted") << model.name << " " << setting;
      } else {
        EXPECT_TRUE(said.starts_with("--")) << said;
        EXPECT_NE(said.find(fmt::format("is not used by --model={}", model.name)), said.npos)
            << said;
        EXPECT_NE(said.find("; models that use it: "), said.npos) << said;
      }
    }
  }
}

TEST(LoadSettings, NameTheModelsThatUseASettingWhichThisOneDoesNot) {
  const std::pair<Given, std::string> cases[] = {
      {{{"rate", "100"}},
       "--rate is not used by --model=closed; models that use it: open, open-bounded, sessions, "
       "ramp with --rate, hold"},
      {{{"model", "open"}, {"rate", "100"}, {"think", "1ms"}},
       "--think is not used by --model=open; models that use it: closed, sessions, churn, "
       "ramp without --rate"},
      {{{"model", "ramp"}, {"arrivals", "constant"}},
       "--arrivals is not used by --model=ramp without --rate; models that use it: open, "
       "open-bounded, sessions, ramp with --rate, hold"},
      {{{"backlog-max", "10"}},
       "--backlog-max is not used by --model=closed; models that use it: open-bounded"},
      {{{"burst", "10"}}, "--burst is not used without --throttle"},
      {{{"think-varies", "on"}}, "--think-varies is not used without --think"},
      {{{"order", "latin"}}, "--order is not used without --slice"},
  };
  for (const auto& [given, sentence] : cases) EXPECT_EQ(complaint(given), sentence);
}

TEST(LoadSettings, RefuseMoreConnectionsThanThereAreDescriptorsAndSayHowManyProcessesWouldSuffice) {
  const std::string said = complaint({{"connections", "16000000"}});
  EXPECT_TRUE(said.starts_with("--connections: 16000000 need ")) << said;
  EXPECT_NE(said.find("--processes="), std::string::npos) << said;
}

}  // namespace
}  // namespace serverlab
