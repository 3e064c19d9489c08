#include "load/models/catalog.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace serverlab {
namespace {

// Settings that do nothing unless another one is given.
constexpr std::pair<std::string_view, std::string_view> needed[] = {
    {"burst", "throttle"}, {"think-varies", "think"}, {"order", "slice"}};

bool uses(const LoadModel& model, std::string_view setting) {
  return std::ranges::find(model.settings, setting) != model.settings.end();
}

bool has_two_rows(std::string_view name) {
  return std::ranges::count(load_models(), name, &LoadModel::name) > 1;
}

// "open", "ramp with --rate".
std::string label_of(const LoadModel& model) {
  if (!has_two_rows(model.name)) return std::string(model.name);
  return fmt::format("{} {} --rate", model.name, model.has_rate ? "with" : "without");
}

std::vector<std::string> users_of(std::string_view setting) {
  std::vector<std::string> labels;
  for (const LoadModel& model : load_models()) {
    if (uses(model, setting)) labels.push_back(label_of(model));
  }
  return labels;
}

}  // namespace

std::span<const LoadModel> load_models() {
  static const std::vector<LoadModel> rows = {
      {ModelName::closed,
       "closed",
       false,
       "a reply intends the next request of its connection, after a time to think",
       {"think", "think-varies", "throttle", "burst", "connect-rate", "start", "slice", "order"}},
      {ModelName::open,
       "open",
       true,
       "requests arrive by a schedule; the connection that is free the longest takes each",
       {"rate", "arrivals", "connect-rate", "slice", "order"}},
      {ModelName::open_bounded,
       "open-bounded",
       true,
       "the same, but only so many may wait for a connection; the rest is dropped and counted",
       {"rate", "arrivals", "backlog-max", "connect-rate", "slice", "order"}},
      {ModelName::sessions,
       "sessions",
       true,
       "sessions arrive by a schedule: connect, some requests with time to think, close",
       {"rate", "arrivals", "requests", "sessions", "think", "think-varies", "expected-response",
        "slice", "order"}},
      {ModelName::churn,
       "churn",
       false,
       "each connection makes some requests, closes, and connects anew",
       {"requests", "sessions", "think", "think-varies", "slice", "order"}},
      {ModelName::ramp,
       "ramp",
       false,
       "closed, with more and more connections",
       {"ramp-from", "ramp-steps", "think", "think-varies", "throttle", "burst", "connect-rate"}},
      {ModelName::ramp,
       "ramp",
       true,
       "open, with a rate that changes",
       {"rate", "ramp-from", "ramp-steps", "arrivals", "connect-rate"}},
      {ModelName::hold,
       "hold",
       true,
       "connections that idle; a schedule probes each in turn",
       {"rate", "arrivals", "connect-rate", "slice", "order"}},
  };
  return rows;
}

std::string_view name_of(ModelName model) {
  return std::ranges::find(load_models(), model, &LoadModel::model)->name;
}

std::string_view model_choices() {
  static const std::string choices = [] {
    std::vector<std::string_view> names;
    for (const LoadModel& model : load_models()) {
      if (std::ranges::find(names, model.name) == names.end()) names.push_back(model.name);
    }
    return fmt::format("{}", fmt::join(names, "|"));
  }();
  return choices;
}

const LoadModel& load_model(std::string_view name, bool with_rate) {
  const auto rows = load_models();
  const auto exact = std::ranges::find_if(rows, [&](const LoadModel& model) {
    return model.name == name && model.has_rate == with_rate;
  });
  return exact == rows.end() ? *std::ranges::find(rows, name, &LoadModel::name) : *exact;
}

void refuse_unused(const Settings& settings, const LoadModel& model) {
  for (const LoadModel& user : load_models()) {
    for (const std::string_view setting : user.settings) {
      if (!settings.is_set(setting) || uses(model, setting)) continue;
      throw BadSetting(fmt::format("--{} is not used by --model={}; models that use it: {}",
                                   setting, label_of(model), fmt::join(users_of(setting), ", ")));
    }
  }
  for (const auto& [setting, other] : needed) {
    if (settings.is_set(setting) && !settings.is_set(other)) {
      throw BadSetting(fmt::format("--{} is not used without --{}", setting, other));
    }
  }
}

}  // namespace serverlab
