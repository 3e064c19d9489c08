#include "net/ring.h"

#include "base/syscall.h"

#include <cerrno>
#include <sys/mman.h>
#include <system_error>

namespace serverlab {
namespace {

// liburing returns negated error numbers.
void check_negated(int result, const char* call) {
  if (result < 0) throw std::system_error(-result, std::generic_category(), call);
}

constexpr unsigned completions_per_submission = 8;  // a multishot operation completes many times

// How long the kernel's thread looks for submissions in vain before it sleeps: a busy server's next
// one comes sooner, an idle server is to use no CPU.
constexpr unsigned submitter_idle_ms = 1;

// The thread sanitizer holds a signal back until its runtime is called, which this wait does not
// do: one that comes just before it would be seen after it. Under it no wait lasts longer.
#ifdef __SANITIZE_THREAD__
constexpr Duration longest_wait = std::chrono::seconds(1);
#else
constexpr Duration longest_wait = Duration::max();
#endif

std::size_t bytes_of_ring(unsigned count) { return count * sizeof(io_uring_buf); }

}  // namespace

Ring::Ring(unsigned submissions, Submitter submitter) {
  io_uring_params params{};
  params.flags = IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE | IORING_SETUP_SINGLE_ISSUER;
  params.flags |= submitter == Submitter::caller ? IORING_SETUP_DEFER_TASKRUN : IORING_SETUP_SQPOLL;
  params.sq_thread_idle = submitter_idle_ms;
  params.cq_entries = submissions * completions_per_submission;
  check_negated(::io_uring_queue_init_params(submissions, &ring_, &params), "io_uring_setup");
  ::io_uring_register_ring_fd(&ring_);  // spares a look-up in each call; nothing depends on it
}

io_uring_sqe* Ring::next() {
  io_uring_sqe* submission = ::io_uring_get_sqe(&ring_);
  if (submission == nullptr) {
    submit();
    submission = ::io_uring_get_sqe(&ring_);
  }
  return submission;
}

void Ring::submit() {
  if (::io_uring_sq_ready(&ring_) == 0) return;
  ++counters().waits;
  ::io_uring_submit(&ring_);
}

// With deferred task work completions only arrive within a call that asks for them, so that even a
// wait of no time is one.
void Ring::submit_and_wait(Duration limit) {
  ++counters().waits;
  if (limit < Duration::zero() || limit > longest_wait) limit = longest_wait;
  int result = 0;
  if (limit == Duration::zero()) {
    result = ::io_uring_submit_and_get_events(&ring_);
  } else if (limit == Duration::max()) {
    result = ::io_uring_submit_and_wait(&ring_, 1);
  } else {
    __kernel_timespec timeout = {.tv_sec = limit / std::chrono::seconds(1),
                                 .tv_nsec = (limit % std::chrono::seconds(1)).count()};
    io_uring_cqe* first = nullptr;
    result = ::io_uring_submit_and_wait_timeout(&ring_, &first, 1, &timeout, nullptr);
  }
  if (result == -ETIME || result == -EINTR || result == -EBUSY || result == -EAGAIN) return;
  check_negated(result, "io_uring_enter");
}

std::string lacking_ring() {
  try {
    constexpr unsigned one = 1;
    const Ring probe(one);
    return "";
  } catch (const std::system_error& error) {
    switch (error.code().value()) {
      case ENOSYS: return "its kernel has no io_uring";
      case EPERM: return "its kernel forbids io_uring (sysctl kernel.io_uring_disabled)";
      case EINVAL: return "its kernel's io_uring is older than that of Linux 6.1";
      default: return error.what();
    }
  }
}

ProvidedBuffers::ProvidedBuffers(Ring& ring, unsigned count, unsigned bytes_each) :
    ring_(ring),
    count_(count),
    bytes_each_(bytes_each),
    memory_(std::make_unique_for_overwrite<std::byte[]>(count * stride_bytes())) {
  void* mapped = ::mmap(nullptr, bytes_of_ring(count), PROT_READ | PROT_WRITE,
                        MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
  if (mapped == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
  buffers_ = static_cast<io_uring_buf_ring*>(mapped);
  io_uring_buf_reg registration{};
  registration.ring_addr = reinterpret_cast<std::uintptr_t>(buffers_);
  registration.ring_entries = count;
  registration.bgid = group;
  check_negated(::io_uring_register_buf_ring(ring.raw(), &registration, 0),
                "io_uring_register_buf_ring");
  ::io_uring_buf_ring_init(buffers_);
  for (unsigned id = 0; id < count; ++id) {
    ::io_uring_buf_ring_add(buffers_, buffer(id), bytes_each, static_cast<unsigned short>(id),
                            ::io_uring_buf_ring_mask(count), static_cast<int>(id));
  }
  ::io_uring_buf_ring_advance(buffers_, static_cast<int>(count));
}

ProvidedBuffers::~ProvidedBuffers() {
  ::io_uring_unregister_buf_ring(ring_.raw(), group);
  ::munmap(buffers_, bytes_of_ring(count_));
}

std::span<const std::byte> ProvidedBuffers::content(const io_uring_cqe& completion) const {
  return {buffer(completion.flags >> IORING_CQE_BUFFER_SHIFT),
          static_cast<std::size_t>(completion.res)};
}

void ProvidedBuffers::give_back(const io_uring_cqe& completion) {
  const unsigned id = completion.flags >> IORING_CQE_BUFFER_SHIFT;
  ::io_uring_buf_ring_add(buffers_, buffer(id), bytes_each_, static_cast<unsigned short>(id),
                          ::io_uring_buf_ring_mask(count_), 0);
  ::io_uring_buf_ring_advance(buffers_, 1);
}

}  // namespace serverlab
