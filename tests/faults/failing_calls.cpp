// Loaded into a program by LD_PRELOAD: makes the system calls fail that a test chooses, or kills
// the program in one of them. The test writes into a file that it shares with the program and with
// all processes that the program forks; the variable FAILING_CALLS names it.

#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <iterator>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr std::size_t calls_max = 128;
constexpr std::size_t name_bytes = 40;
constexpr std::size_t text_bytes = 128;

enum Action : std::uint64_t { fails_with_error, kills };

// As tests/faults/calls.py has it.
struct Plan {
  char program[name_bytes];   // the one that is meant; other programs that it starts are not
  char of_files[text_bytes];  // if not empty: only calls about files with this in their path
  char call[name_bytes];      // which call; empty: none, all are counted
  std::uint64_t first;        // of its calls, counted from 1
  std::uint64_t last;         //
  std::uint64_t error;        // the errno of it
  Action action;              //
  std::atomic<std::uint64_t> failed;
  std::int64_t clock_step_s;             // by which the wall clock has jumped
  std::atomic<std::uint64_t> is_locked;  // while a process looks for a row
  struct Row {
    char name[name_bytes];
    std::atomic<std::uint64_t> calls;
  } rows[calls_max];
};

Plan* mapped_plan() {
  const char* path = std::getenv("FAILING_CALLS");
  if (path == nullptr) return nullptr;
  const auto fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC));
  void* mapped = reinterpret_cast<void*>(
      ::syscall(SYS_mmap, nullptr, sizeof(Plan), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  if (fd < 0 || mapped == MAP_FAILED) std::abort();
  ::syscall(SYS_close, fd);
  auto* const plan = static_cast<Plan*>(mapped);
  return std::strcmp(plan->program, ::program_invocation_short_name) == 0 ? plan : nullptr;
}

Plan* the_plan() {
  static Plan* const plan = mapped_plan();
  return plan;
}

// A write that wakes a thread by an eventfd cannot fail.
bool is_meant(const Plan& plan, int fd, const char* path) {
  constexpr const char* folder = "/proc/self/fd/";
  char link[64];
  char target[4096] = {};
  if (path == nullptr && fd >= 0) {
    *std::to_chars(std::strcpy(link, folder) + std::strlen(folder), std::end(link), fd).ptr = 0;
    ::syscall(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1);
    path = target;
    if (std::strcmp(target, "anon_inode:[eventfd]") == 0) return false;
  }
  if (plan.of_files[0] == 0) return true;
  return path != nullptr && std::strstr(path, plan.of_files) != nullptr;
}

/// One call of the table.
class Call {
 public:
  explicit Call(const char* name) {
    Plan* const plan = the_plan();
    if (plan == nullptr) return;
    while (plan->is_locked.exchange(true)) {
    }
    for (Plan::Row& row : plan->rows) {
      if (row.name[0] == 0) std::memcpy(row.name, name, ::strnlen(name, name_bytes - 1));
      if (std::strcmp(row.name, name) == 0) {
        row_ = &row;
        break;
      }
    }
    plan->is_locked = false;
    if (row_ == nullptr) std::abort();  // the table is too small
  }

  /// Counts it, and sets errno if it is one that fails.
  bool fails(int fd, const char* path) {
    Plan* const plan = the_plan();
    if (row_ == nullptr || !is_meant(*plan, fd, path)) return false;
    const std::uint64_t number = ++row_->calls;
    if (std::strcmp(plan->call, row_->name) != 0) return false;
    if (number < plan->first || number > plan->last) return false;
    ++plan->failed;
    if (plan->action == kills) ::syscall(SYS_kill, ::syscall(SYS_getpid), SIGKILL);
    errno = static_cast<int>(plan->error);
    return true;
  }

 private:
  Plan::Row* row_ = nullptr;
};

template <class Function>
Function* next_of(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

// The headers declare these calls in many ways, so each is defined under another name.
#define INTERCEPTED(result, name, parameters, arguments, fd, path, failure) \
  extern "C" result failing_##name parameters __asm__(#name);               \
  extern "C" result failing_##name parameters {                             \
    static const auto next = next_of<result parameters>(#name);             \
    static Call call(#name);                                                \
    return call.fails(fd, path) ? (failure) : next arguments;               \
  }
#define OF_NO_FILE(result, name, parameters, arguments, failure) \
  INTERCEPTED(result, name, parameters, arguments, -1, nullptr, failure)
#define OF_FD(result, name, parameters, arguments) \
  INTERCEPTED(result, name, parameters, arguments, fd, nullptr, -1)
#define OF_PATH(result, name, parameters, arguments, failure) \
  INTERCEPTED(result, name, parameters, arguments, -1, path, failure)

struct io_uring;

OF_NO_FILE(int, socket, (int a, int b, int c), (a, b, c), -1)
OF_FD(int, bind, (int fd, const void* a, unsigned b), (fd, a, b))
OF_FD(int, listen, (int fd, int a), (fd, a))
OF_FD(int, accept4, (int fd, void* a, void* b, int c), (fd, a, b, c))
OF_FD(int, connect, (int fd, const void* a, unsigned b), (fd, a, b))
OF_FD(int, setsockopt, (int fd, int a, int b, const void* c, unsigned d), (fd, a, b, c, d))
OF_FD(int, getsockopt, (int fd, int a, int b, void* c, void* d), (fd, a, b, c, d))
OF_FD(int, getsockname, (int fd, void* a, void* b), (fd, a, b))
OF_FD(int, getpeername, (int fd, void* a, void* b), (fd, a, b))
OF_FD(int, shutdown, (int fd, int a), (fd, a))
OF_FD(ssize_t, recv, (int fd, void* a, std::size_t b, int c), (fd, a, b, c))
OF_FD(ssize_t, send, (int fd, const void* a, std::size_t b, int c), (fd, a, b, c))
OF_FD(ssize_t, sendmsg, (int fd, const void* a, int b), (fd, a, b))
OF_FD(ssize_t, recvmsg, (int fd, void* a, int b), (fd, a, b))
OF_NO_FILE(int, epoll_create1, (int a), (a), -1)
OF_FD(int, epoll_ctl, (int fd, int a, int b, void* c), (fd, a, b, c))
OF_FD(int, epoll_wait, (int fd, void* a, int b, int c), (fd, a, b, c))
OF_FD(int, epoll_pwait2, (int fd, void* a, int b, const void* c, const void* d), (fd, a, b, c, d))
OF_NO_FILE(int, poll, (void* a, unsigned long b, int c), (a, b, c), -1)
OF_NO_FILE(int, ppoll, (void* a, unsigned long b, const void* c, const void* d), (a, b, c, d), -1)
OF_NO_FILE(int, select, (int a, void* b, void* c, void* d, void* e), (a, b, c, d, e), -1)
OF_NO_FILE(int, pselect, (int a, void* b, void* c, void* d, const void* e, const void* f),
           (a, b, c, d, e, f), -1)
OF_NO_FILE(int, eventfd, (unsigned a, int b), (a, b), -1)
OF_NO_FILE(int, timerfd_create, (int a, int b), (a, b), -1)
OF_FD(int, timerfd_settime, (int fd, int a, const void* b, void* c), (fd, a, b, c))
OF_NO_FILE(int, timer_create, (int a, void* b, void* c), (a, b, c), -1)
OF_NO_FILE(int, pipe2, (int* a, int b), (a, b), -1)
OF_FD(int, dup, (int fd), (fd))
OF_FD(ssize_t, read, (int fd, void* a, std::size_t b), (fd, a, b))
OF_FD(ssize_t, write, (int fd, const void* a, std::size_t b), (fd, a, b))
OF_FD(int, fsync, (int fd), (fd))
OF_FD(int, ftruncate64, (int fd, long a), (fd, a))
OF_PATH(int, rename, (const char* path, const char* a), (path, a), -1)
OF_PATH(int, unlink, (const char* path), (path), -1)
OF_PATH(int, mkdir, (const char* path, unsigned a), (path, a), -1)
OF_PATH(int, open, (const char* path, int a, unsigned b), (path, a, b), -1)
OF_PATH(int, open64, (const char* path, int a, unsigned b), (path, a, b), -1)
OF_PATH(int, openat, (int d, const char* path, int a, unsigned b), (d, path, a, b), -1)
OF_PATH(int, openat64, (int d, const char* path, int a, unsigned b), (d, path, a, b), -1)
OF_NO_FILE(void*, mmap, (void* a, std::size_t b, int c, int d, int e, long f), (a, b, c, d, e, f),
           MAP_FAILED)
OF_NO_FILE(int, pthread_create, (void* a, const void* b, void* (*c)(void*), void* d), (a, b, c, d),
           errno)
OF_NO_FILE(int, fork, (), (), -1)
OF_NO_FILE(int, waitid, (int a, unsigned b, void* c, int d), (a, b, c, d), -1)
OF_NO_FILE(int, sigaction, (int a, const void* b, void* c), (a, b, c), -1)
OF_NO_FILE(int, sched_setaffinity, (int a, std::size_t b, const void* c), (a, b, c), -1)
OF_NO_FILE(int, getrlimit64, (int a, void* b), (a, b), -1)
OF_NO_FILE(int, setrlimit64, (int a, const void* b), (a, b), -1)
OF_NO_FILE(int, io_uring_queue_init_params, (unsigned a, io_uring* b, void* c), (a, b, c), -errno)
OF_NO_FILE(int, io_uring_register_buf_ring, (io_uring * a, void* b, unsigned c), (a, b, c), -errno)
OF_NO_FILE(int, io_uring_submit_and_wait_timeout,
           (io_uring * a, void* b, unsigned c, void* d, void* e), (a, b, c, d, e), -errno)
OF_NO_FILE(int, io_uring_submit, (io_uring * a), (a), -errno)

// A descriptor is gone even if closing it fails.
extern "C" int failing_close(int fd) __asm__("close");
extern "C" int failing_close(int fd) {
  static const auto next = next_of<int(int)>("close");
  static Call call("close");
  const bool fails = call.fails(fd, nullptr);
  const int error = errno;
  const int closed = next(fd);
  if (!fails) return closed;
  errno = error;
  return -1;
}

// The wall clock; others go on as they do.
extern "C" int stepped_clock_gettime(clockid_t clock, timespec* time) __asm__("clock_gettime");
extern "C" int stepped_clock_gettime(clockid_t clock, timespec* time) {
  static const auto next = next_of<int(clockid_t, timespec*)>("clock_gettime");
  const int result = next(clock, time);
  const Plan* const plan = the_plan();
  if (plan != nullptr && clock == CLOCK_REALTIME) time->tv_sec += plan->clock_step_s;
  return result;
}
