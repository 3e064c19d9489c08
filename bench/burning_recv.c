// Preloaded into a server: each recv(2) that receives something makes so many system calls more, as
// BURN_CALLS says. So a known cost is planted in a server, which grows and shrinks with the speed
// of the CPU as the server's own does.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t recv(int socket, void* buffer, size_t size, int flags) {
  static ssize_t (*real)(int, void*, size_t, int);
  static double calls = -1;
  static __thread double due;  // a part of a call is made up for later
  if (calls < 0) {
    real = (ssize_t(*)(int, void*, size_t, int))dlsym(RTLD_NEXT, "recv");
    const char* given = getenv("BURN_CALLS");
    calls = given ? atof(given) : 0;
  }
  const ssize_t got = real(socket, buffer, size, flags);
  if (got > 0) due += calls;
  for (; due >= 1; --due) syscall(SYS_getppid);
  return got;
}
