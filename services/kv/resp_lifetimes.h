#pragma once

// How long keys live, and the commands about it.

#include "services/kv/resp_call.h"

#include <optional>

namespace serverlab::kv {

/// So many units, up to a hundred years in either direction; nothing beyond.
std::optional<Duration> lifetime_of(std::int64_t count, Duration unit);

/// The error for a lifetime that cannot be.
/// @param command in lower case
std::string invalid_lifetime(std::string_view command);

void expire(const RespCall& call);
void time_to_live(const RespCall& call);

}  // namespace serverlab::kv
