#pragma once

// The bounds that decide what the figures of a load are worth, each written once. Other programs
// read them from `serverlab-load --list-json`; docs/method.md gives the reasons.

#include <span>
#include <string_view>

namespace serverlab::bounds {

constexpr double error_share_max = 0.001;
constexpr double law_tolerance = 0.02;
constexpr double send_lag_max_ns = 50e3;
constexpr double send_lag_share_max = 0.05;
constexpr double cpu_share_max = 0.95;
constexpr double sent_share_min = 0.99;
constexpr double stalled_share_max = 0.01;
constexpr double silence_share_max = 0.05;
constexpr double silence_max_s = 1;
constexpr double other_cpus_max = 0.1;
constexpr double values_beyond_min = 10;

struct Row {
  std::string_view name;
  double value;
  std::string_view meaning;
};

inline constexpr Row list[] = {
    {"error_share_max", error_share_max, "share of the requests that may fail"},
    {"law_tolerance", law_tolerance, "share by which two counts of the same may differ"},
    {"send_lag_max_ns", send_lag_max_ns, "p99 send lag of a generator that keeps its schedule"},
    {"send_lag_share_max", send_lag_share_max, "the same, as a share of the median latency"},
    {"cpu_share_max", cpu_share_max, "share of the time that a thread may be busy"},
    {"sent_share_min", sent_share_min, "share of the offered rate that has to be sent"},
    {"stalled_share_max", stalled_share_max, "share of the window that a generator may not run"},
    {"silence_share_max", silence_share_max,
     "share of the window at whose end no reply may have come, beyond silence_max_s"},
    {"silence_max_s", silence_max_s, "seconds at the window's end without a reply in any window"},
    {"other_cpus_max", other_cpus_max,
     "CPUs that other work may take of a slice beyond what is usual"},
    {"values_beyond_min", values_beyond_min, "values that have to lie beyond a percentile"},
};

}  // namespace serverlab::bounds
