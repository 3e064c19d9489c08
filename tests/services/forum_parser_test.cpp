// The three parsers read the same requests; the expressions of the specification judge the quick
// one.

#include "services/forum/parser.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace serverlab::forum {
namespace {

constexpr Parse parsers[] = {parse_prefix, parse_regex, parse_regex_once};

struct Row {
  std::string_view line;
  Verb verb;
  std::string_view topic = {};
  std::string_view argument = {};
};

constexpr Row rows[] = {
    // The examples of the course's specification.
    {"POST@Solar system#The dark side of the @moon is #dark.", Verb::post, "@Solar system",
     "The dark side of the @moon is #dark."},
    {"POST@#x", Verb::post, "@", "x"},
    {"POST@night_sky#cloudy!", Verb::post, "@night_sky", "cloudy!"},
    {"COUNT@solar_system", Verb::count, "@solar_system"},
    {"READ@#0", Verb::read, "@", "0"},
    {"READ@Solar system#1", Verb::read, "@Solar system", "1"},
    {"LIST", Verb::list},
    {"EXIT", Verb::exit},
    {"AAA", Verb::unknown},
    // What is close to a request, and none.
    {"", Verb::unknown},
    {" ", Verb::unknown},
    {"list", Verb::unknown},
    {"LIST ", Verb::unknown},
    {" LIST", Verb::unknown},
    {"LISTLIST", Verb::unknown},
    {"LIST@a", Verb::unknown},
    {"EXITS", Verb::unknown},
    {"exit", Verb::unknown},
    {"POST", Verb::unknown},
    {"POST@", Verb::unknown},
    {"POST@a", Verb::unknown},
    {"POST@a#", Verb::unknown},
    {"POST#a", Verb::unknown},
    {"POST a#b", Verb::unknown},
    {"POST@a@b#c", Verb::unknown},
    {"Post@a#b", Verb::unknown},
    {"POST@a#b\rc", Verb::unknown},
    {"POST@a#\r", Verb::unknown},
    {"POST@a\rb#c", Verb::post, "@a\rb", "c"},
    {"POST@a##", Verb::post, "@a", "#"},
    {"POST@a#@", Verb::post, "@a", "@"},
    {"POST@ # ", Verb::post, "@ ", " "},
    {"POST@\xff\x01#\x80\x7f", Verb::post, "@\xff\x01", "\x80\x7f"},
    {"READ", Verb::unknown},
    {"READ@", Verb::unknown},
    {"READ@a", Verb::unknown},
    {"READ@a#", Verb::unknown},
    {"READ@a#-1", Verb::unknown},
    {"READ@a#+1", Verb::unknown},
    {"READ@a# 1", Verb::unknown},
    {"READ@a#1 ", Verb::unknown},
    {"READ@a#1.0", Verb::unknown},
    {"READ@a#0x1", Verb::unknown},
    {"READ@a#1#1", Verb::unknown},
    {"READ@a@b#1", Verb::unknown},
    {"READ@a#one", Verb::unknown},
    {"READ@a#007", Verb::read, "@a", "007"},
    {"READ@a#18446744073709551616", Verb::read, "@a", "18446744073709551616"},
    {"COUNT", Verb::unknown},
    {"COUNT@", Verb::count, "@"},
    {"COUNT#a", Verb::unknown},
    {"COUNT@a#", Verb::unknown},
    {"COUNT@a@b", Verb::unknown},
    {"COUNT@a#0", Verb::unknown},
    {"COUNT a", Verb::unknown},
};

bool agree(const Request& a, const Request& b) {
  return a.verb == b.verb && a.topic == b.topic && a.argument == b.argument;
}

TEST(ForumParser, ReadsWhatTheCourseSpecifiesAndNothingElse) {
  for (const Row& row : rows) {
    for (const Parse parse : parsers) {
      EXPECT_TRUE(agree(parse(row.line), {row.verb, row.topic, row.argument})) << row.line;
    }
  }
}

// Lines of pieces that matter to the grammar, most of which are nearly requests.
std::string random_line(std::mt19937& random) {
  static constexpr std::string_view pieces[] = {"POST", "READ", "COUNT", "LIST", "EXIT", "@", "#",
                                                "0",    "42",   "-",     " ",    "\r",   "a", "é"};
  std::string line(random() % 2 == 0 ? pieces[random() % 5] : "");
  for (auto left = random() % 7; left > 0; --left) line += pieces[random() % std::size(pieces)];
  return line;
}

TEST(ForumParser, ReadsTheSameByItsPrefixAsByTheExpressions) {
  std::mt19937 random(1);
  int requests = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string line = random_line(random);
    const Request expected = parse_regex_once(line);
    requests += expected.verb == Verb::unknown ? 0 : 1;
    ASSERT_TRUE(agree(parse_prefix(line), expected)) << line;
  }
  EXPECT_GT(requests, 1'000) << "hardly a line was a request";
}

TEST(ForumParser, ReadsTheLongestLine) {
  constexpr std::size_t long_enough_for_a_recursion = 60'000;
  const std::string line = "POST@a#" + std::string(long_enough_for_a_recursion, 'x');
  for (const Parse parse : parsers) {
    EXPECT_EQ(parse(line).argument.size(), long_enough_for_a_recursion);
  }
}

}  // namespace
}  // namespace serverlab::forum
