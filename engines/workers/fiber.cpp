#include "engines/workers/fiber.h"

#include <new>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace serverlab {
namespace {

using boost::context::detail::jump_fcontext;
using boost::context::detail::transfer_t;

// Enough for a session's frames; of it, the pages that are used cost memory.
constexpr std::size_t stack_bytes = 256 << 10;
constexpr std::size_t spare_max = 256;

std::size_t guard_bytes() {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return page;
}

void unmap(Stacks::Stack stack) {
  ::munmap(stack.data() - guard_bytes(), guard_bytes() + stack_bytes);
}

}  // namespace

// To give one back, as a destructor does, must not fail.
Stacks::Stacks() { spare_.reserve(spare_max); }

Stacks::~Stacks() {
  for (const Stack stack : spare_) unmap(stack);
}

Stacks::Stack Stacks::take() {
  owner_.assert_here();
  if (!spare_.empty()) {
    const Stack stack = spare_.back();
    spare_.pop_back();
    return stack;
  }
  void* memory = ::mmap(nullptr, guard_bytes() + stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  const Stack stack(static_cast<std::byte*>(memory) + guard_bytes(), stack_bytes);
  if (::mprotect(memory, guard_bytes(), PROT_NONE) != 0) {
    unmap(stack);
    throw std::bad_alloc();
  }
  return stack;
}

void Stacks::give_back(Stack stack) {
  owner_.assert_here();
#ifdef __SANITIZE_ADDRESS__
  // `enter` has not returned, nor will it: the next fiber on this memory is not on its frame.
  __asan_unpoison_memory_region(stack.data(), stack.size());
#endif
  spare_.size() < spare_max ? spare_.push_back(stack) : unmap(stack);
}

Fiber::Fiber(Stacks& stacks, std::function<void(Fiber&)> run) :
    stacks_(stacks), stack_(stacks.take()), run_(std::move(run)) {
  inside_.bottom = stack_.data();
  inside_.bytes = stack_.size();
  inside_.context =
      boost::context::detail::make_fcontext(stack_.data() + stack_.size(), stack_.size(), enter);
#ifdef __SANITIZE_THREAD__
  inside_.thread = __tsan_create_fiber(0);
#endif
  resume();
}

Fiber::~Fiber() {
  abandoned_ = true;
  while (!done()) go_inside();
#ifdef __SANITIZE_THREAD__
  __tsan_destroy_fiber(inside_.thread);
#endif
  stacks_.give_back(stack_);
}

void Fiber::enter(transfer_t arrival) {
  auto& self = *static_cast<Fiber*>(arrival.data);
  self.outside_.context = arrival.fctx;
  arrive(self.inside_, self.outside_);
  try {
    self.run_(self);
  } catch (...) {
    self.thrown_ = std::current_exception();  // it must not leave this stack
  }
  self.done_ = true;
  leave(self.inside_, self.outside_, true);
  jump_fcontext(self.outside_.context, nullptr);
}

void Fiber::resume() {
  go_inside();
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void Fiber::go_inside() {
  owner_.assert_here();
#ifdef __SANITIZE_THREAD__
  outside_.thread = __tsan_get_current_fiber();
#endif
  leave(outside_, inside_, false);
  inside_.context = jump_fcontext(inside_.context, this).fctx;
  arrive(outside_, inside_);
}

bool Fiber::suspend() {
  leave(inside_, outside_, false);
  outside_.context = jump_fcontext(outside_.context, nullptr).fctx;
  arrive(inside_, outside_);
  return !abandoned_;
}

// Not a call: the thread sanitizer would see it begin on one stack and end on the other.
[[gnu::always_inline]] inline void Fiber::leave([[maybe_unused]] Place& from,
                                                [[maybe_unused]] const Place& to,
                                                [[maybe_unused]] bool for_ever) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(for_ever ? nullptr : &from.fake_stack, to.bottom, to.bytes);
#endif
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(to.thread, 0);
#endif
}

[[gnu::always_inline]] inline void Fiber::arrive([[maybe_unused]] const Place& at,
                                                 [[maybe_unused]] Place& from) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(at.fake_stack, &from.bottom, &from.bytes);
#endif
}

}  // namespace serverlab
