// Loaded into a server by LD_PRELOAD: at a signal, the thread that takes it attempts what somebody
// would who has taken the server over, and writes a line for each attempt into the file that
// ESCAPE_ATTEMPTS names: the thread, the attempt, and errno, or 0 if it had its effect. The sockets
// of attempts that need one that is there already are made before the server confines itself.

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <string_view>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int fast_open_sockets = 3;

struct Target {
  int log = -1;
  pid_t process = 0;            // of the same user
  sockaddr_in address{};        // of a listener, and of a receiver of datagrams
  const char* file = nullptr;   // to be read
  const char* fresh = nullptr;  // to be made
  int connecting = -1;
  std::array<int, fast_open_sockets> fast_open{};
} target;

void write_line(std::string_view name, long error) {
  std::array<char, 128> line{};
  char* end = std::to_chars(line.data(), line.data() + 20, ::syscall(SYS_gettid)).ptr;
  *end++ = ' ';
  end = static_cast<char*>(::mempcpy(end, name.data(), name.size()));
  *end++ = ' ';
  end = std::to_chars(end, end + 20, error).ptr;
  *end++ = '\n';
  ::syscall(SYS_write, target.log, line.data(), end - line.data());
}

long error_of(long result) { return result < 0 ? errno : 0; }

// The child reports nothing when it ends, so that the server does not learn of it.
long run_program() {
  const long child = ::syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) {
    static char program[] = "/bin/true";
    char* const arguments[] = {program, nullptr};
    char* const environment[] = {nullptr};
    ::syscall(SYS_execve, program, arguments, environment);
    ::syscall(SYS_exit_group, errno);
  }
  if (child < 0) return errno;
  int status = 0;
  ::syscall(SYS_wait4, child, &status, __WALL, nullptr);
  return WEXITSTATUS(status);
}

template <class... Args>
void attempt(std::string_view name, long number, Args... args) {
  write_line(name, error_of(::syscall(number, args...)));
}

void attempt_connections() {
  const auto* const address = &target.address;
  constexpr auto size = sizeof target.address;
  attempt("connect", SYS_connect, target.connecting, address, size);
  attempt("fast-open-sendto", SYS_sendto, target.fast_open[0], "x", 1, MSG_FASTOPEN, address, size);
  char byte = 'x';
  iovec bytes = {.iov_base = &byte, .iov_len = 1};
  mmsghdr message{};
  message.msg_hdr.msg_name = &target.address;
  message.msg_hdr.msg_namelen = size;
  message.msg_hdr.msg_iov = &bytes;
  message.msg_hdr.msg_iovlen = 1;
  attempt("fast-open-sendmsg", SYS_sendmsg, target.fast_open[1], &message.msg_hdr, MSG_FASTOPEN);
  attempt("fast-open-sendmmsg", SYS_sendmmsg, target.fast_open[2], &message, 1, MSG_FASTOPEN);
  const auto datagrams = static_cast<int>(::syscall(SYS_socket, AF_INET, SOCK_DGRAM, 0));
  const long refused = error_of(datagrams);
  if (refused != 0) return write_line("datagram", refused);
  attempt("datagram", SYS_sendto, datagrams, "x", 1, 0, address, size);
  ::syscall(SYS_close, datagrams);
}

void attempt_processes() {
  write_line("run-program", run_program());
  attempt("trace-process", SYS_ptrace, PTRACE_SEIZE, target.process, nullptr, nullptr);
  std::array<char, 64> path{"/proc/"};
  char* const end = std::to_chars(path.data() + 6, path.data() + 32, target.process).ptr;
  std::strcpy(end, "/mem");  // NOLINT(clang-analyzer-security.insecureAPI.strcpy): it has room
  attempt("open-memory", SYS_openat, AT_FDCWD, path.data(), O_RDWR);
  char byte = 0;
  iovec here = {.iov_base = &byte, .iov_len = 1};
  iovec there = {.iov_base = &target, .iov_len = 1};
  attempt("read-memory", SYS_process_vm_readv, target.process, &here, 1, &there, 1, 0);
  const auto process = static_cast<int>(::syscall(SYS_pidfd_open, target.process, 0));
  attempt("take-descriptor", SYS_pidfd_getfd, process, 1, 0);
  ::syscall(SYS_close, process);
  attempt("signal-process", SYS_kill, target.process, 0);
  rlimit limit{};
  attempt("limit-process", SYS_prlimit64, target.process, RLIMIT_NOFILE, nullptr, &limit);
}

void attempt_namespaces() {
  const auto in_child = [](std::string_view name, long child) {
    if (child == 0) ::syscall(SYS_exit_group, 0);
    write_line(name, error_of(child));
    if (child > 0) ::syscall(SYS_wait4, child, nullptr, __WALL, nullptr);
  };
  in_child("user-namespace-clone",
           ::syscall(SYS_clone, CLONE_NEWUSER, nullptr, nullptr, nullptr, nullptr));
  clone_args asked{};
  asked.flags = CLONE_NEWUSER;
  in_child("user-namespace-clone3", ::syscall(SYS_clone3, &asked, sizeof asked));
  attempt("user-namespace-unshare", SYS_unshare, CLONE_NEWUSER);
}

void attempt_files() {
  attempt("read-file", SYS_openat, AT_FDCWD, target.file, O_RDONLY);
  attempt("make-file", SYS_openat, AT_FDCWD, target.fresh, O_RDWR | O_CREAT, 0600);
  attempt("truncate-file", SYS_truncate, target.file, 0);
  attempt("change-mode", SYS_fchmodat, AT_FDCWD, target.file, 0777);
}

void attempt_all(int) {
  const int interrupted_call = errno;
  attempt_connections();
  attempt_processes();
  attempt_namespaces();
  attempt_files();
  io_uring_params parameters{};
  attempt("ring", SYS_io_uring_setup, 1, &parameters);
  attempt("socket", SYS_socket, AF_INET, SOCK_STREAM, 0);
  int pair[2];
  attempt("socket-pair", SYS_socketpair, AF_UNIX, SOCK_DGRAM, 0, pair);
  write_line("end", 0);
  errno = interrupted_call;
}

int number_of(const char* variable) { return std::atoi(std::getenv(variable)); }

[[gnu::constructor]] void get_ready() {
  const char* log = std::getenv("ESCAPE_ATTEMPTS");
  if (log == nullptr || std::strcmp(::program_invocation_short_name, "serverlab-server") != 0)
    return;
  target.log = ::open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  target.process = number_of("ESCAPE_PROCESS");
  target.file = std::getenv("ESCAPE_FILE");
  target.fresh = std::getenv("ESCAPE_FRESH_FILE");
  target.address.sin_family = AF_INET;
  target.address.sin_port = htons(static_cast<std::uint16_t>(number_of("ESCAPE_PORT")));
  ::inet_pton(AF_INET, std::getenv("ESCAPE_HOST"), &target.address.sin_addr);
  target.connecting = ::socket(AF_INET, SOCK_STREAM, 0);
  for (int& one : target.fast_open) one = ::socket(AF_INET, SOCK_STREAM, 0);
  struct sigaction action = {};
  action.sa_handler = attempt_all;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGRTMAX, &action, nullptr);
}

}  // namespace
