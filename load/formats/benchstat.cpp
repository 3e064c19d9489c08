#include "load/formats/formats.h"
#include "load/models/catalog.h"

#include <cctype>
#include <fmt/format.h>

namespace serverlab {

void write_benchstat(std::ostream& out, const LoadOptions& options, const LoadResult& result,
                     const std::string& service) {
  std::string name = service;
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  for (std::size_t i = 0; i < result.targets.size(); ++i) {
    // A single target has no part in the name, so that two files have the same names to compare.
    const std::string target =
        options.targets.size() > 1 ? "/target=" + options.targets[i].to_string() : "";
    for (const IntervalRow& row : result.targets[i]->series) {
      if (row.received == 0) continue;  // no iteration, which the format has no words for
      const double rate_per_s =
          static_cast<double>(row.received) / std::max(row.to_s - row.from_s, 1e-9);
      out << fmt::format(
          "Benchmark{}{}/model={}/connections={}/depth={} {} {:.0f} ns/op "
          "{} p50-ns {} p99-ns {:.0f} req/s",
          name, target, name_of(options.model.name), options.model.connections, options.model.depth,
          row.received, row.latency_mean_ns, row.latency_p50_ns, row.latency_p99_ns, rate_per_s);
      if (row.server_cpu_s && row.answered > 0) {
        out << fmt::format(" {:.0f} server-cpu-ns/op",
                           1e9 * *row.server_cpu_s / static_cast<double>(row.answered));
      }
      out << '\n';
    }
  }
}

}  // namespace serverlab
