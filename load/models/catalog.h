#pragma once

// Every load model, in one list: the command line, --help, the documents and the refusals read it;
// other programs do so through `serverlab-load --list-json`.

#include "base/settings.h"
#include "load/models/options.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace serverlab {

struct LoadModel {
  ModelName model;
  std::string_view name;                   // on the command line
  bool has_rate;                           // it follows --rate, which must be above 0 then
  std::string_view summary;                // one line: when it issues requests
  std::vector<std::string_view> settings;  // those that it uses and not every model does
};

/// A ramp has two rows: of connections, and with --rate of a rate.
std::span<const LoadModel> load_models();

std::string_view name_of(ModelName model);

/// The names of all models as the choices of a setting: "closed|open|…".
std::string_view model_choices();

/// The row of a model that is there, by whether a rate is given.
const LoadModel& load_model(std::string_view name, bool with_rate);

/// Refuses settings that were given and would do nothing.
/// @throws BadSetting
void refuse_unused(const Settings& settings, const LoadModel& model);

}  // namespace serverlab
