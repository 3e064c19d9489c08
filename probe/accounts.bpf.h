#pragma once

// Included by ledger.bpf.c: what is known of a thread, and to which part its CPU time goes.
//
// A thread's time on a CPU is cut where it enters or leaves a system call or a softirq, and where
// it is switched; each piece goes to the part that it was in. So the parts of all threads add up to
// the servers' CPU time, but for what passes within a switch.

#include "probe/tasks.bpf.h"

#include <bpf/bpf_core_read.h>

struct Thread {
  __u64 since_ns;      // on a CPU, in this part; 0: not running
  __u64 off_ns;        // not running since; 0: it runs, or that is not known
  __u64 woken_ns;      // at last; 0: not yet
  __u64 contended_ns;  // waits for a lock since
  __u64 unknown_ns;    // on a CPU while its part is not known
  __u64 stolen_ns;     // that the host has taken from this CPU, at the last cut
  __u64 longest_ns;    // of the pieces since that has changed
  __u64 came_ns;       // to the CPU; 0: that was not seen
  __u64 charged_ns;    // CPU time of the thread by the scheduler, until then
  __u64 taken_out_ns;  // of what it has run since, as the host had the CPU
  __s64 owed_ns;       // that threads before it on the CPU were charged more than they ran
  __u64 call_ns;       // on a CPU, in this system call
  __u64 softirq_ns;    // on a CPU, in this softirq
  __u32 part_come_to;
  __u32 longest_part;
  __u32 subject;
  __u32 part;
  __u32 part_before_softirq;
  __u32 is_blocked;
  __u32 has_slept;   // in this system call
  __u32 woke_other;  // in this softirq it has woken a thread of another process
  // Since its last system call began:
  __u32 woke_in;         // that call, if it has woken a thread of its server; or 0
  __u32 is_interrupted;  // the kernel works in the midst of user mode, or does so behind the call
  __u32 was_contended;   // and it has waited for a lock there
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, threads_max);
  __type(key, __u32);  // a thread
  __type(value, struct Thread);
} threads SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(map_flags, BPF_F_MMAPABLE);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct Ledger);
} ledgers SEC(".maps");

static __always_inline struct Ledger* ledger(void) {
  const __u32 first = 0;
  return bpf_map_lookup_elem(&ledgers, &first);
}

static __always_inline void add(__u64* sum, __u64 more) { __sync_fetch_and_add(sum, more); }

static __always_inline struct LedgerPart* part_of(__u32 subject, __u32 part) {
  struct Ledger* all = ledger();
  if (!all || part == part_unknown) return 0;
  __u64 place = (__u64)subject * parts_max + part;
  barrier_var(place);  // the kernel's verifier has to see that the mask keeps it within the table
  return &all->parts[0][0] + (place & (subjects_max * parts_max - 1));
}

// A thread of a server; 0 if it is none.
static __always_inline struct Thread* thread_of(__u32 tid, __u32 tgid) {
  struct Thread* known = bpf_map_lookup_elem(&threads, &tid);
  if (known) return known;
  const __u32* subject = bpf_map_lookup_elem(&subjects, &tgid);
  if (!subject) return 0;
  const struct Thread fresh = {.subject = *subject, .part = part_unknown};
  if (bpf_map_update_elem(&threads, &tid, &fresh, BPF_NOEXIST) != 0) {
    struct Ledger* all = ledger();
    if (all) add(&all->threads_lost, 1);
  }
  return bpf_map_lookup_elem(&threads, &tid);
}

static __always_inline struct Thread* current_thread(void) {
  const __u64 id = bpf_get_current_pid_tgid();
  return thread_of((__u32)id, id >> 32);
}

// What the host of a virtual machine has taken from this CPU, as the scheduler knows. A kernel
// without these fields does not ask, and charges it to the threads.
static __always_inline __u64 stolen_ns(void) {
  const struct task_struct* here = bpf_get_current_task_btf();
  if (!bpf_core_field_exists(here->se.cfs_rq->rq) ||
      !bpf_core_field_exists(here->se.cfs_rq->rq->prev_steal_time_rq))
    return 0;
  return here->se.cfs_rq->rq->prev_steal_time_rq;
}

static __always_inline void begin(struct Thread* thread, __u64 now_ns) {
  thread->since_ns = now_ns;
  thread->stolen_ns = stolen_ns();
  thread->longest_ns = 0;
}

static __always_inline void add_cpu_time(struct Thread* thread, __u32 number, __u64 more_ns) {
  struct LedgerPart* part = part_of(thread->subject, number);
  if (number >= part_first_syscall) thread->call_ns += more_ns;
  if (number == part_softirq) thread->softirq_ns += more_ns;
  if (part) {
    add(&part->cpu_ns, more_ns);
  } else {
    thread->unknown_ns += more_ns;
  }
}

// Comes out of the longest piece, as far as that is long enough.
static __always_inline void take_out(struct Thread* thread, __u64 taken_ns) {
  const __u64 longest_ns = thread->longest_ns;
  const __u64 out_ns = taken_ns < longest_ns ? taken_ns : longest_ns;
  add_cpu_time(thread, thread->longest_part, -out_ns);
  thread->taken_out_ns += out_ns;
}

// What the host has taken is no CPU time of the thread. The scheduler asks when it next looks at
// its clock, which may be some parts later.
static __always_inline void take_out_stolen(struct Thread* thread) {
  const __u64 stolen = stolen_ns();
  const __u64 taken_ns = stolen - thread->stolen_ns;
  if (taken_ns == 0) return;
  take_out(thread, taken_ns);
  thread->stolen_ns = stolen;
  thread->longest_ns = 0;
}

// The part in which it is. The kernel switches to another thread behind the end of a system call,
// and that belongs to the call which has woken the other one.
static __always_inline __u32 part_now(const struct Thread* thread) {
  if (thread->part != part_user || !thread->is_interrupted) return thread->part;
  return thread->woke_in ? thread->woke_in : part_preemption;
}

// From here on nothing of that is known.
static __always_inline void forget_call(struct Thread* thread) {
  thread->woke_in = 0;
  thread->is_interrupted = 0;
  thread->was_contended = 0;
}

// What a thread has run since the last cut goes to the part in which it was.
static __always_inline void cut(struct Thread* thread, __u64 now_ns) {
  if (thread->since_ns == 0) {
    begin(thread, now_ns);
    return;
  }
  const __u64 ran_ns = now_ns - thread->since_ns;
  const __u32 part = part_now(thread);
  add_cpu_time(thread, part, ran_ns);
  if (ran_ns > thread->longest_ns) {
    thread->longest_ns = ran_ns;
    thread->longest_part = part;
  }
  take_out_stolen(thread);
  thread->since_ns = now_ns;
}

// It is in another part from now on.
static __always_inline void enter(struct Thread* thread, __u32 number) {
  thread->part = number;
  struct LedgerPart* part = part_of(thread->subject, number);
  if (part) add(&part->entries, 1);
}

// The part begins, or goes on, where this event ends: what the probe did since `begun_ns` is in no
// part.
static __always_inline void go_on(struct Thread* thread, __u64 begun_ns) {
  const __u64 now_ns = bpf_ktime_get_ns();
  thread->since_ns = now_ns;
  add_cpu_time(thread, part_probe, now_ns - begun_ns);
}

// What it did before it was known belongs to the part in which it turns out to have been.
static __always_inline void turn_out(struct Thread* thread, __u32 number) {
  struct LedgerPart* part = part_of(thread->subject, number);
  if (!part || thread->part != part_unknown) return;
  add(&part->cpu_ns, thread->unknown_ns);
  thread->unknown_ns = 0;
  thread->part = number;
}

// To the scheduler a thread has the CPU from when it last looked at its clock before the switch to
// the thread until it does so before the next switch. If the CPU had to be woken first, that is
// microseconds earlier, and in a virtual machine many. The CPU clock of a process is the
// scheduler's: the part in which the thread comes to the CPU has what it was charged more than it
// ran, and the last piece has what it was charged less.
static __always_inline void charge_as_scheduler(struct Thread* thread, __u64 last_ns) {
  const __s64 more_ns = thread->owed_ns;
  if (more_ns >= 0) {
    add_cpu_time(thread, thread->part_come_to, more_ns);
    return;
  }
  const __u64 less_ns = -more_ns;
  const __u64 of_last_ns = less_ns < last_ns ? less_ns : last_ns;
  add_cpu_time(thread, part_now(thread), -of_last_ns);
  take_out(thread, less_ns - of_last_ns);
}

// A thread that wakes another one of its server and makes way for it may go on for 10 µs, which the
// scheduler charges to the other one; and who has run is in the right part. So what is owed is
// handed on, until the CPU goes to somebody else.
static __always_inline _Bool hand_on(const struct Thread* leaving, struct Thread* coming) {
  if (!coming || coming->subject != leaving->subject) return 0;
  coming->owed_ns = leaving->owed_ns;
  coming->part_come_to = leaving->part_come_to;
  return 1;
}
