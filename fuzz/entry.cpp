// What libFuzzer calls. One program has all targets: `serverlab-fuzz --target=NAME`, before the
// arguments of libFuzzer; `--list` prints the targets, one a line.

#include "fuzz/catalog.h"

#include <cstring>
#include <fmt/format.h>
#include <netdb.h>
#include <string>

namespace {

namespace fuzz = serverlab::fuzz;

const fuzz::Target* target = nullptr;

[[noreturn]] void list_targets() {
  for (const fuzz::Target& row : fuzz::targets()) {
    fmt::print("{}\t{}\t{}\n", row.name, row.has_planted_bug ? "canary" : "target", row.summary);
  }
  std::exit(0);
}

}  // namespace

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

int LLVMFuzzerInitialize(int* count, char*** arguments) {
  constexpr std::string_view option = "--target=";
  const std::string_view first = *count > 1 ? (*arguments)[1] : "";
  if (first == "--list") list_targets();
  if (first.starts_with(option)) target = fuzz::find_target(first.substr(option.size()));
  if (target != nullptr) return 0;
  fmt::print(stderr, "serverlab-fuzz: the first argument is --list or --target=NAME of the list\n");
  std::exit(2);
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target->run({reinterpret_cast<const char*>(data), size});
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t size_max,
                                    unsigned seed) {
  fuzz::Random random(seed);
  if (target->grammar == nullptr || random.once_in(4))
    return LLVMFuzzerMutate(data, size, size_max);
  const std::string_view stream(reinterpret_cast<const char*>(data), size);
  const std::string changed = fuzz::mutated(*target->grammar, stream, random);
  const std::size_t size_now = std::min(changed.size(), size_max);
  std::memcpy(data, changed.data(), size_now);
  return size_now;
}

// The linker leads calls of getaddrinfo here: no input asks a name server.
int __real_getaddrinfo(const char* host, const char* port, const addrinfo* hints, addrinfo** found);
int __wrap_getaddrinfo(const char* host, const char* port, const addrinfo* hints,
                       addrinfo** found) {
  addrinfo of_numbers = *hints;
  of_numbers.ai_flags |= AI_NUMERICHOST | AI_NUMERICSERV;
  return __real_getaddrinfo(host, port, &of_numbers, found);
}
}
