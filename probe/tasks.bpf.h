#pragma once

// Included by the kernel's parts of the probe: which threads are those of servers.

#include "probe/ledger.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <linux/bpf.h>

// Of the kernel's types, what is read here; libbpf finds the fields in the kernel that runs.
struct rq {
  __u64 prev_steal_time_rq;
} __attribute__((preserve_access_index));

struct cfs_rq {
  struct rq* rq;
} __attribute__((preserve_access_index));

struct sched_entity {
  __u64 sum_exec_runtime;
  struct cfs_rq* cfs_rq;
} __attribute__((preserve_access_index));

struct task_struct {
  int pid;
  int tgid;
  unsigned int flags;
  struct sched_entity se;
} __attribute__((preserve_access_index));

// include/linux/sched.h: TASK_STOPPED and TASK_TRACED, TASK_DEAD
enum { state_stopped = 0x4 | 0x8, state_dead = 0x80 };

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, threads_max);
  __type(key, __u32);    // a process of a server
  __type(value, __u32);  // the server's number
} subjects SEC(".maps");

static __always_inline __u64 later(__u64 a, __u64 b) { return a > b ? a : b; }

// The server whose process makes a thread or a process, which is the server's as well; 0 if it is
// none.
static __always_inline const __u32* inherited_subject(const struct task_struct* made) {
  const __u32 maker = bpf_get_current_pid_tgid() >> 32;
  const __u32* found = bpf_map_lookup_elem(&subjects, &maker);
  const __u32 process = made->tgid;
  if (found && process != maker) {
    const __u32 subject = *found;
    bpf_map_update_elem(&subjects, &process, &subject, BPF_ANY);
  }
  return found;
}

// Programs that call the helpers used here have to be under the GPL as well.
char licenses[] SEC("license") = "Dual MIT/GPL";
