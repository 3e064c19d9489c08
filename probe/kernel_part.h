#pragma once

// A part of the probe that runs in the kernel: an object of eBPF programs, which is loaded once and
// comes and goes.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

struct bpf_link;
struct bpf_object;

namespace serverlab {

class KernelPart {
 public:
  /// Loads it; nothing is attached yet.
  /// @param object what clang has made of a .bpf.c
  /// @throws Unsupported if the kernel does not let this process, with what it wants
  explicit KernelPart(std::span<const char> object);
  KernelPart(const KernelPart&) = delete;
  KernelPart& operator=(const KernelPart&) = delete;

  /// Detaches whatever is attached.
  ~KernelPart();

  /// From now on its programs run at their tracepoints, of the whole machine.
  /// @throws Unsupported
  void attach();

  /// From now on the program of this name runs so often in a second of CPU time, on each CPU.
  /// @throws Unsupported
  void attach_to_clock(const char* name, int times_per_s);

  /// From now on none of its programs run. What its maps hold stays.
  void detach();

  bool is_attached() const { return !links_.empty(); }

  /// A map by its name.
  int map(const char* name) const;

  /// Empties a map whose keys are 32 bits wide.
  void forget(const char* name) const;

  /// Whose threads are to be followed, as it is now: each server's number by its process, and by
  /// those that it has made.
  /// @throws std::runtime_error if a server is gone
  void take_servers(std::span<const int> servers) const;

 private:
  void take_processes(std::uint32_t subject, int pid) const;

  std::unique_ptr<bpf_object, void (*)(bpf_object*)> object_;
  std::vector<bpf_link*> links_;
};

}  // namespace serverlab
