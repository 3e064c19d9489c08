#pragma once

// Attaches the kernel's part of the probe (ledger.bpf.c) to servers, and reads what it counts.

#include "base/clock.h"
#include "probe/kernel_part.h"
#include "probe/ledger.h"

#include <cstdint>
#include <string>
#include <vector>

namespace serverlab {

/// Parts of what a server's threads did, by name: "user", "softirq", "kernel thread", and system
/// calls by theirs.
struct NamedPart {
  std::string name;
  LedgerPart counts;
};

struct SampledStack {
  std::vector<std::string> frames;  // names of functions; those of the kernel come last
  std::uint64_t samples = 0;
};

class Tracer {
 public:
  /// Loads the kernel's part; nothing is attached yet.
  /// @param servers a process of each; the processes that it has made are its own
  /// @throws Unsupported if the kernel does not let this process, with what it wants
  explicit Tracer(std::vector<int> servers);
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// Detaches whatever is attached.
  ~Tracer();

  /// From now on counts go up. The whole machine's system calls take the slow path meanwhile.
  /// @throws std::runtime_error if a server is gone
  void attach();

  /// From now on stacks are counted, so often in a second of CPU time: that costs next to nothing.
  /// @throws std::runtime_error if a server is gone
  void sample(int samples_per_s);

  /// From now on nothing is slower for the probe. Counts stay.
  void detach() { part_.detach(); }

  bool is_attached() const { return part_.is_attached(); }

  /// What has been counted of a server since the beginning, without parts that are all zero.
  std::vector<NamedPart> parts(std::size_t server) const;

  /// One part of them.
  LedgerPart part(std::size_t server, std::size_t part) const;

  /// Threads that found no place, and are missing in the counts.
  std::uint64_t threads_lost() const;

  /// The stacks of a server that were counted, each from its outermost frame.
  std::vector<SampledStack> stacks(std::size_t server) const;

  const std::vector<int>& servers() const { return servers_; }

 private:
  std::vector<std::uint64_t> frames(std::int32_t stack) const;

  std::vector<int> servers_;
  KernelPart part_;
  Ledger* ledger_ = nullptr;  // which the kernel's part writes, and this one reads
};

}  // namespace serverlab
