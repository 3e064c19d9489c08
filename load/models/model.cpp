#include "load/models/model.h"

namespace serverlab {

std::unique_ptr<Model> make_model(const ModelOptions& options, Share share, Duration window) {
  const bool rate_is_given = options.rate.to_per_s > 0;
  switch (options.name) {
    case ModelName::closed: return make_closed_model(options, share, window);
    case ModelName::ramp:
      return rate_is_given ? make_open_model(options, share, window)
                           : make_closed_model(options, share, window);
    case ModelName::open:
    case ModelName::open_bounded:
    case ModelName::hold: return make_open_model(options, share, window);
    case ModelName::sessions:
    case ModelName::churn: return make_session_model(options, share);
  }
  return nullptr;
}

}  // namespace serverlab
