#include "base/perturb.h"

#include "base/mixed.h"

#include <atomic>
#include <cstdlib>
#include <ctime>

namespace serverlab {
namespace {

constexpr std::uint64_t one_sleeps_of = 16;
constexpr std::uint64_t sleep_max_ns = 300'000;

std::uint64_t seed_given() {
  const char* text = std::getenv("SERVERLAB_PERTURB");
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

}  // namespace

void perturb_now() {
  static const std::uint64_t seed = seed_given();
  if (seed == 0) return;
  static std::atomic<std::uint64_t> threads = 0;
  thread_local std::uint64_t number = seed + mixed(++threads);
  number = mixed(number);
  if (number % one_sleeps_of != 0) return;
  const timespec nap = {.tv_sec = 0, .tv_nsec = static_cast<long>((number >> 32) % sleep_max_ns)};
  ::nanosleep(&nap, nullptr);
}

}  // namespace serverlab
