// The values of settings; above all, that each complaint names its setting, the value and what
// would fit.

#include "base/settings.h"

#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace serverlab {
namespace {

constexpr Setting rows[] = {
    {"threads", "COUNT", "1", "", ""},    {"rate", "RATE", "0", "", ""},
    {"buffer", "SIZE", "64 KiB", "", ""}, {"limit", "DURATION", "5s", "", ""},
    {"cpus", "CPUS", "", "", ""},         {"order", "fifo|lifo", "fifo", "", ""},
    {"nodelay", "on|off", "on", "", ""},  {"targets", "HOST ...", "", "", ""},
};

Settings settings_with(std::string_view name, std::string_view value) {
  Settings settings;
  settings.add(rows);
  settings.set(name, value);
  return settings;
}

void expect_complaint(const std::function<void()>& ask, const std::string& sentence) {
  try {
    ask();
    ADD_FAILURE() << "taken, where it should be said: " << sentence;
  } catch (const BadSetting& error) {
    EXPECT_EQ(error.what(), sentence);
  }
}

TEST(Settings, HaveTheirFallbacksUntilTheyAreSet) {
  Settings settings;
  settings.add(rows);
  EXPECT_EQ(settings.count("threads", 0, 8), 1);
  EXPECT_EQ(settings.number("rate", 0, 1), 0);
  EXPECT_EQ(settings.size("buffer", 0, 1 << 20), 64U << 10);
  EXPECT_EQ(settings.duration("limit", std::chrono::seconds(0), std::chrono::seconds(9)),
            std::chrono::seconds(5));
  EXPECT_TRUE(settings.cpus("cpus").empty());
  EXPECT_EQ(settings.text("order"), "fifo");
  EXPECT_TRUE(settings.flag("nodelay"));
  EXPECT_TRUE(settings.list("targets").empty());
  EXPECT_FALSE(settings.is_set("threads"));
}

TEST(Settings, HaveTheValuesTheyWereSetTo) {
  EXPECT_EQ(settings_with("threads", "8").count("threads", 0, 8), 8);
  EXPECT_EQ(settings_with("rate", "1.5e3").number("rate", 0, 1e4), 1500);
  EXPECT_EQ(settings_with("buffer", "1 B").size("buffer", 1, 2), 1U);
  EXPECT_EQ(settings_with("limit", "0s")
                .duration("limit", std::chrono::seconds(0), std::chrono::seconds(9)),
            std::chrono::seconds(0));
  EXPECT_EQ(settings_with("cpus", "0,2-3").cpus("cpus"), (std::vector{0, 2, 3}));
  EXPECT_EQ(settings_with("order", "lifo").text("order"), "lifo");
  EXPECT_FALSE(settings_with("nodelay", "off").flag("nodelay"));
  EXPECT_EQ(settings_with("targets", "a  b").list("targets"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(settings_with("targets", "4 2").counts("targets", 1, 4), (std::vector{4, 2}));
  EXPECT_TRUE(settings_with("threads", "1").is_set("threads")) << "even to its fallback";
}

TEST(Settings, ThatDoNotExistAreRefusedByName) {
  Settings settings;
  settings.add(rows);
  expect_complaint([&] { settings.set("thread", "1"); }, "there is no setting 'thread'");
}

TEST(Settings, WithChoicesRefuseWhatIsNoneOfThem) {
  for (const auto* value : {"middle", "", "fif", "fifo|lifo", "|"}) {
    expect_complaint([&] { settings_with("order", value); },
                     fmt::format("--order: '{}' is not one of fifo|lifo", value));
  }
}

TEST(Settings, ThatAreCountsRefuseWhatIsNoWholeNumberInTheirRange) {
  for (const auto* value : {"", "x", "1.5", "9", "-1", " 1", "1 ", "99999999999999999999"}) {
    const Settings settings = settings_with("threads", value);
    expect_complaint([&] { settings.count("threads", 0, 8); },
                     fmt::format("--threads: '{}' is not a whole number from 0 to 8", value));
  }
  const Settings several = settings_with("targets", "1 x");
  expect_complaint([&] { several.counts("targets", 1, 9); },
                   "--targets: 'x' is not a whole number from 1 to 9");
}

TEST(Settings, ThatAreNumbersRefuseWhatIsNoneInTheirRange) {
  for (const auto* value : {"", "x", "2", "-0.5", "nan", "1,5"}) {
    const Settings settings = settings_with("rate", value);
    expect_complaint([&] { settings.number("rate", 0, 1); },
                     fmt::format("--rate: '{}' is not a number from 0 to 1", value));
  }
}

TEST(Settings, ThatAreSizesRefuseWhatIsNoneInTheirRange) {
  const Settings unreadable = settings_with("buffer", "much");
  expect_complaint([&] { unreadable.size("buffer", 1, 9); },
                   "--buffer: 'much' is not a size such as 64, 64B, 16KiB or 10MB");
  for (const auto* value : {"0", "10"}) {
    const Settings settings = settings_with("buffer", value);
    expect_complaint([&] { settings.size("buffer", 1, 9); },
                     fmt::format("--buffer: '{}' is not between 1 B and 9 B", value));
  }
}

TEST(Settings, ThatAreDurationsRefuseWhatIsNoneInTheirRange) {
  const Settings unreadable = settings_with("limit", "soon");
  expect_complaint(
      [&] { unreadable.duration("limit", std::chrono::seconds(1), std::chrono::seconds(9)); },
      "--limit: 'soon' is not a duration such as 10s, 1.5ms or 250us");
  for (const auto* value : {"0s", "10s"}) {
    const Settings settings = settings_with("limit", value);
    expect_complaint(
        [&] { settings.duration("limit", std::chrono::seconds(1), std::chrono::seconds(9)); },
        fmt::format("--limit: '{}' is not between 1s and 9s", value));
  }
}

TEST(Settings, ThatAreCpusRefuseWhatIsNone) {
  const Settings settings = settings_with("cpus", "0,x");
  expect_complaint([&] { settings.cpus("cpus"); }, "--cpus: 'x' is not a CPU number");
}

TEST(Settings, WithoutARowAreAProgrammersError) {
  EXPECT_THROW(Settings().text("threads"), std::logic_error);
}

}  // namespace
}  // namespace serverlab
