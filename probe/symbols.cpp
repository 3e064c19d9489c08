#include "probe/symbols.h"

#include "base/owned_fd.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <gelf.h>
#include <memory>
#include <sstream>

namespace serverlab {
namespace {

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> found(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), ::free);
  return status == 0 && found ? std::string(found.get()) : std::string(name);
}

// A function's name without its parameters, and without what all of ours begin with.
std::string shortened(std::string name) {
  name.erase(std::min(name.find('('), name.size()));
  constexpr std::string_view own = "serverlab::";
  for (std::size_t at = 0; (at = name.find(own)) != std::string::npos;) name.erase(at, own.size());
  return name;
}

// Where in the file the code at an address of the program stands.
std::uint64_t offset_of(Elf* elf, std::uint64_t address) {
  std::size_t segments = 0;
  ::elf_getphdrnum(elf, &segments);
  for (std::size_t i = 0; i < segments; ++i) {
    GElf_Phdr segment{};
    if (::gelf_getphdr(elf, static_cast<int>(i), &segment) == nullptr) continue;
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address < segment.p_vaddr + segment.p_filesz) {
      return address - segment.p_vaddr + segment.p_offset;
    }
  }
  return 0;
}

void take_table(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, Symbols& symbols) {
  Elf_Data* data = ::elf_getdata(section, nullptr);
  if (data == nullptr || header.sh_entsize == 0) return;
  for (int i = 0; i < static_cast<int>(header.sh_size / header.sh_entsize); ++i) {
    GElf_Sym symbol{};
    if (::gelf_getsym(data, i, &symbol) == nullptr) continue;
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value == 0) continue;
    const char* name = ::elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name != nullptr) symbols.add(offset_of(elf, symbol.st_value), shortened(demangled(name)));
  }
}

Symbols symbols_of(const std::string& path) {
  Symbols symbols;
  ::elf_version(EV_CURRENT);
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(
      file ? ::elf_begin(file.get(), ELF_C_READ, nullptr) : nullptr, ::elf_end);
  if (!elf) return symbols;
  for (Elf_Scn* section = ::elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = ::elf_nextscn(elf.get(), section)) {
    GElf_Shdr header{};
    if (::gelf_getshdr(section, &header) == nullptr) continue;
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM)
      take_table(elf.get(), section, header, symbols);
  }
  return symbols;
}

}  // namespace

const std::string& Symbols::name(std::uint64_t address) const {
  static const std::string none;
  const auto next = names_.upper_bound(address);
  return next == names_.begin() ? none : std::prev(next)->second;
}

KernelSymbols::KernelSymbols() {
  std::ifstream file("/proc/kallsyms");
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::uint64_t address = 0;
    std::string kind;
    std::string name;
    words >> std::hex >> address >> kind >> name;
    if ((kind == "t" || kind == "T") && address != 0) symbols_.add(address, name);
  }
}

std::string KernelSymbols::name(std::uint64_t address) const {
  const std::string& found = symbols_.name(address);
  return found.empty() ? "kernel" : found;
}

ProcessSymbols::ProcessSymbols(int pid) {
  std::ifstream file(fmt::format("/proc/{}/maps", pid));
  std::string line;
  while (std::getline(file, line)) {
    Mapping mapping{};
    char dash = 0;
    std::string rights;
    std::string device;
    std::string inode;
    std::istringstream words(line);
    words >> std::hex >> mapping.first >> dash >> mapping.end >> rights >> mapping.offset >>
        device >> inode >> mapping.path;
    if (rights.contains('x')) mappings_.push_back(std::move(mapping));
  }
}

std::string ProcessSymbols::name(std::uint64_t address) {
  const auto mapping = std::ranges::find_if(mappings_, [address](const Mapping& one) {
    return address >= one.first && address < one.end;
  });
  if (mapping == mappings_.end()) return "unknown";
  if (!files_.contains(mapping->path)) files_.emplace(mapping->path, symbols_of(mapping->path));
  const std::string& found =
      files_.at(mapping->path).name(address - mapping->first + mapping->offset);
  if (!found.empty()) return found;
  const std::string& path = mapping->path;
  return path.empty() ? "generated code" : path.substr(path.rfind('/') + 1);
}

}  // namespace serverlab
