#pragma once

// Names of the functions in which addresses lie.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace serverlab {

/// Functions by their first addresses.
class Symbols {
 public:
  void add(std::uint64_t first, std::string name) { names_.emplace(first, std::move(name)); }

  /// @return the last function that begins at or before an address; empty if there is none
  const std::string& name(std::uint64_t address) const;

 private:
  std::map<std::uint64_t, std::string> names_;
};

/// Those of the kernel, if it tells: /proc/kallsyms.
class KernelSymbols {
 public:
  KernelSymbols();
  std::string name(std::uint64_t address) const;

 private:
  Symbols symbols_;
};

/// Those of a process, as it is now: its files' own tables of symbols, which a stripped one lacks.
class ProcessSymbols {
 public:
  explicit ProcessSymbols(int pid);
  std::string name(std::uint64_t address);

 private:
  struct Mapping {
    std::uint64_t first;
    std::uint64_t end;
    std::uint64_t offset;  // in the file
    std::string path;
  };

  std::vector<Mapping> mappings_;
  std::map<std::string, Symbols> files_;  // by offset in the file; read when they are needed
};

}  // namespace serverlab
