#pragma once

// A load's result as a document (docs/results-schema.md).

#include "load/load_options.h"
#include "load/result.h"

#include <nlohmann/json_fwd.hpp>

namespace serverlab {

constexpr int result_schema = 1;

/// @param settings of the load and its workload, as given or by default, for the `load` section
nlohmann::ordered_json result_json(const LoadOptions& options, const LoadResult& result);

/// One row of the series, for the document and for live events.
nlohmann::ordered_json interval_json(const IntervalRow& row);

}  // namespace serverlab
