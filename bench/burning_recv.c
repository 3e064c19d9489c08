// Preloaded into a server: each recv(2) that receives something takes BURN_NS longer, on the CPU.
// So a known cost is planted in a server.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <time.h>

static long long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

ssize_t recv(int socket, void* buffer, size_t size, int flags) {
  static ssize_t (*real)(int, void*, size_t, int);
  static long long burn_ns = -1;
  if (burn_ns < 0) {
    real = (ssize_t(*)(int, void*, size_t, int))dlsym(RTLD_NEXT, "recv");
    const char* given = getenv("BURN_NS");
    burn_ns = given ? atoll(given) : 0;
  }
  const ssize_t got = real(socket, buffer, size, flags);
  if (got > 0 && burn_ns > 0) {
    const long long end_ns = now_ns() + burn_ns;
    while (now_ns() < end_ns) {
    }
  }
  return got;
}
