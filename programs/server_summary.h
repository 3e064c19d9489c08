#pragma once

// What a server has to say while it serves, and what it did, as its last event.

#include "base/counters.h"
#include "engines/engine.h"

#include <string_view>

namespace serverlab {

/// What a service counted, as JSON. It may allocate memory.
/// @param service its sessions are not at work
std::string figures_json(const Service& service);

/// Prints `notice`. Allocates no memory for a text of up to 1900 characters: that it has run out
/// may be the news.
void print_notice(std::string_view text);

/// In place of the figures of a service that cannot be read, as its sessions may still run.
constexpr std::string_view unknown_figures = "null";

/// Prints `summary`, and before it a `notice` if connections ended unanswered. Async-signal-safe
/// with `unknown_figures` and without stamps: it allocates memory only for figures that are long.
/// @param stamps the server's times as JSON; empty: there are none, or they are not known
void print_summary(const Engine& engine, const Counters& total, std::string_view figures,
                   Duration drain_limit, std::string_view stamps = {});

}  // namespace serverlab
