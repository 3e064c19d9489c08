#pragma once

// A load as it runs: a live line and a summary on a terminal, one JSON object a line elsewhere.

#include "load/load_events.h"
#include "load/load_options.h"
#include "programs/process.h"

namespace serverlab {

class LoadDisplay {
 public:
  LoadDisplay(bool to_people, const LoadOptions& options) :
      to_people_(to_people), options_(options) {}

  void started(const Json& event) const;
  void ended(const Json& document) const;
  LoadEvents events() const;

 private:
  bool to_people_;
  const LoadOptions& options_;
};

}  // namespace serverlab
