#include "programs/check.h"

#include "programs/process.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <string>

namespace serverlab {
namespace {

// Checking pins the process to --cpus, as a start does. The next line starts anew.
class KeptAffinity {
 public:
  KeptAffinity() { ::sched_getaffinity(0, sizeof set_, &set_); }
  ~KeptAffinity() { ::sched_setaffinity(0, sizeof set_, &set_); }
  KeptAffinity(const KeptAffinity&) = delete;
  KeptAffinity& operator=(const KeptAffinity&) = delete;

 private:
  cpu_set_t set_{};
};

// The setting that a message is about: it begins with it, `--rate: …`. Null if it is about none.
Json setting_of(std::string_view message, const Settings& settings) {
  if (!message.starts_with("--")) return {};
  const std::string_view name = message.substr(2, message.find_first_of(": =", 2) - 2);
  return settings.has(name) ? Json(name) : Json();
}

Json checked(const std::string& line, Settings settings, const CheckSettings& check) {
  const KeptAffinity kept;
  try {
    const Json object = Json::parse(line);
    for (const auto& [name, value] : object.items()) settings.set(name, value.get<std::string>());
    check(settings);
    return {{"status", 0}};
  } catch (const std::exception& error) {
    return {{"status", status_of(error)},
            {"setting", setting_of(error.what(), settings)},
            {"text", error.what()}};
  }
}

}  // namespace

std::span<const std::pair<std::string, std::string>> check_flags() {
  static const std::pair<std::string, std::string> flags[] = {
      {"check", "check the settings as a start would, and end"},
      {"check-lines", "the same for each line of stdin, a JSON object of settings"},
  };
  return flags;
}

void run_check(const std::string& flag, const Settings& given, const CheckSettings& check) {
  if (flag == "check") return check(given);
  std::ifstream in("/dev/stdin");
  for (std::string line; std::getline(in, line);) print_event(checked(line, given, check));
}

}  // namespace serverlab
