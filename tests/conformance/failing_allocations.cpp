// Loaded into a server by LD_PRELOAD: makes the allocations fail that a test chooses. The test
// writes into a file that it shares with the server and with all processes that the server forks;
// the variable FAILING_ALLOCATIONS names it.

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace {

// As tests/conformance/allocations.py has it.
struct Plan {
  std::uint64_t first;               // the first allocation that fails, counted from 1
  std::uint64_t last;                // the last one; 0: none fails, and none is counted
  std::uint64_t last_after_write;    // from the first write to stdout on, the last one; 0: as it is
  std::atomic<std::uint64_t> asked;  // allocations so far
  std::atomic<std::uint64_t> failed;
};

Plan* shared_plan() {
  static Plan* const plan = [] {
    const char* path = std::getenv("FAILING_ALLOCATIONS");
    const int fd = path == nullptr ? -1 : ::open(path, O_RDWR | O_CLOEXEC);
    void* mapped = ::mmap(nullptr, sizeof(Plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) std::abort();
    return static_cast<Plan*>(mapped);
  }();
  return plan;
}

bool fails() {
  Plan& plan = *shared_plan();
  if (std::atomic_ref(plan.last).load() == 0) return false;
  const std::uint64_t number = ++plan.asked;
  if (number < plan.first || number > plan.last) return false;
  ++plan.failed;
  return true;
}

void* allocate(std::size_t size) { return fails() ? nullptr : std::malloc(size == 0 ? 1 : size); }

void* allocate(std::size_t size, std::align_val_t alignment) {
  const auto bytes = static_cast<std::size_t>(alignment);
  return fails() ? nullptr : std::aligned_alloc(bytes, (size + bytes - 1) / bytes * bytes);
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

extern "C" ssize_t write(int fd, const void* bytes, std::size_t size) {
  static const auto next = reinterpret_cast<decltype(&::write)>(::dlsym(RTLD_NEXT, "write"));
  const ssize_t written = next(fd, bytes, size);
  Plan& plan = *shared_plan();
  if (fd == STDOUT_FILENO && plan.last_after_write != 0)
    std::atomic_ref(plan.last).store(std::exchange(plan.last_after_write, 0));
  return written;
}

void* operator new(std::size_t size) { return or_throw(allocate(size)); }
void* operator new[](std::size_t size) { return or_throw(allocate(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return or_throw(allocate(size, alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return or_throw(allocate(size, alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
