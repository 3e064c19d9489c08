// The kernel's part of the probe: follows the threads of the servers from part to part of what they
// do, and adds up. Tracepoints only: where the kernel is locked down, nothing else is to be had.
//
// A thread's time on a CPU is cut where it enters or leaves a system call or a softirq, and where
// it is switched; each piece goes to the part that it was in. So the parts of all threads add up to
// the servers' CPU time, but for what passes within a switch.

#include "probe/tasks.bpf.h"

#include <bpf/bpf_core_read.h>
#include <stdbool.h>

// Of the kernel's type, what is read here; libbpf finds the fields in the kernel that runs.
struct pt_regs {
#if defined(__x86_64__)
  unsigned long orig_ax;
#else
  int syscallno;
#endif
} __attribute__((preserve_access_index));

// include/linux/sched.h: PF_IO_WORKER and PF_USER_WORKER
enum { flag_io_worker = 0x10, flag_user_worker = 0x4000 };

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
  __u64 call_ns;       // on a CPU, in this system call
  __u32 part_come_to;
  __u32 longest_part;
  __u32 subject;
  __u32 part;
  __u32 part_before_softirq;
  __u32 is_blocked;
  __u32 has_slept;  // in this system call
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

struct {
  __uint(type, BPF_MAP_TYPE_STACK_TRACE);
  __uint(max_entries, stacks_max);
  __type(key, __u32);
  __uint(value_size, frames_max * sizeof(__u64));
} stacks SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, stacks_max);
  __type(key, struct StackKey);
  __type(value, __u64);  // samples
} samples SEC(".maps");

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

// What a thread has run since the last cut goes to the part in which it was.
static __always_inline void cut(struct Thread* thread, __u64 now_ns) {
  if (thread->since_ns == 0) {
    begin(thread, now_ns);
    return;
  }
  const __u64 ran_ns = now_ns - thread->since_ns;
  add_cpu_time(thread, thread->part, ran_ns);
  if (ran_ns > thread->longest_ns) {
    thread->longest_ns = ran_ns;
    thread->longest_part = thread->part;
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

// The part of a system call; the last one stands for all numbers that no call has.
static __always_inline __u32 call_part(unsigned long number) {
  const unsigned long last = parts_max - 1 - part_first_syscall;
  return part_first_syscall + (__u32)(number < last ? number : last);
}

static __always_inline __u32 interrupted_call(const struct pt_regs* registers) {
#if defined(__x86_64__)
  return call_part(registers->orig_ax);
#else
  return call_part(registers->syscallno);
#endif
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_call, struct pt_regs* registers, long number) {
  const __u64 now_ns = bpf_ktime_get_ns();
  struct Thread* thread = current_thread();
  if (!thread) return 0;
  turn_out(thread, part_user);
  cut(thread, now_ns);
  enter(thread, call_part(number));
  thread->call_ns = 0;
  thread->has_slept = 0;
  go_on(thread, now_ns);
  return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return, struct pt_regs* registers, long result) {
  const __u64 now_ns = bpf_ktime_get_ns();
  struct Thread* thread = current_thread();
  if (!thread) return 0;
  if (thread->part == part_unknown) turn_out(thread, interrupted_call(registers));
  cut(thread, now_ns);
  struct LedgerPart* call = part_of(thread->subject, thread->part);
  if (call && thread->has_slept) add(&call->slept_ns, thread->call_ns);
  enter(thread, part_user);
  go_on(thread, now_ns);
  return 0;
}

// To the scheduler a thread has the CPU from when it last looked at its clock before the switch to
// the thread until it does so before the next switch. If the CPU had to be woken first, that is
// microseconds earlier, and in a virtual machine many. The CPU clock of a process is the
// scheduler's: the part in which the thread comes to the CPU has what it was charged more than it
// ran, and the last piece has what it was charged less.
static __always_inline void charge_as_scheduler(struct Thread* thread, __u64 now_ns, __u64 last_ns,
                                                __u64 charged_ns) {
  if (thread->came_ns == 0) return;
  const __s64 ran_ns = now_ns - thread->came_ns - thread->taken_out_ns;
  const __s64 more_ns = charged_ns - thread->charged_ns - ran_ns;
  thread->came_ns = 0;
  if (more_ns >= 0) {
    add_cpu_time(thread, thread->part_come_to, more_ns);
    return;
  }
  const __u64 less_ns = -more_ns;
  const __u64 of_last_ns = less_ns < last_ns ? less_ns : last_ns;
  add_cpu_time(thread, thread->part, -of_last_ns);
  take_out(thread, less_ns - of_last_ns);
}

static __always_inline void leave_cpu(struct Thread* thread, __u64 now_ns, unsigned int state,
                                      __u64 charged_ns) {
  const __u64 last_ns = thread->since_ns == 0 ? 0 : now_ns - thread->since_ns;
  cut(thread, now_ns);
  charge_as_scheduler(thread, now_ns, last_ns, charged_ns);
  thread->since_ns = 0;
  thread->off_ns = now_ns;
  thread->is_blocked = state != 0;
  if (state != 0) thread->has_slept = 1;
  struct LedgerPart* part = part_of(thread->subject, thread->part);
  if (part) add(state != 0 ? &part->blocks : &part->preemptions, 1);
}

static __always_inline void come_to_cpu(struct Thread* thread, __u64 now_ns, __u64 charged_ns) {
  struct LedgerPart* part = part_of(thread->subject, thread->part);
  // One that is woken while it leaves the CPU is woken before it has left.
  const __u64 woken_ns = later(thread->woken_ns, thread->off_ns);
  const __u64 ready_ns = thread->is_blocked ? woken_ns : thread->off_ns;
  if (part && ready_ns != 0) add(&part->run_queue_ns, now_ns - ready_ns);
  if (part && thread->is_blocked && thread->off_ns != 0)
    add(&part->blocked_ns, woken_ns - thread->off_ns);
  thread->off_ns = 0;
  thread->is_blocked = 0;
  begin(thread, now_ns);
  thread->came_ns = now_ns;
  thread->charged_ns = charged_ns;
  thread->taken_out_ns = 0;
  thread->part_come_to = thread->part;
  go_on(thread, now_ns);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct* previous, struct task_struct* next,
             unsigned int state) {
  const __u64 now_ns = bpf_ktime_get_ns();
  const __u32 from = previous->pid;
  struct Thread* leaving = thread_of(from, previous->tgid);
  if (leaving) {
    // A thread that is preempted on its way to sleep has a state, and can go on all the same.
    leave_cpu(leaving, now_ns, preempt ? 0 : state, previous->se.sum_exec_runtime);
    if (state & state_dead) bpf_map_delete_elem(&threads, &from);
  }
  struct Thread* coming = thread_of(next->pid, next->tgid);
  if (coming) come_to_cpu(coming, now_ns, next->se.sum_exec_runtime);
  return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct* woken) {
  const __u64 now_ns = bpf_ktime_get_ns();
  struct Thread* thread = thread_of(woken->pid, woken->tgid);
  if (thread) {
    thread->woken_ns = now_ns;
    if (thread->since_ns == 0 && thread->off_ns == 0) thread->is_blocked = 1;  // before the probe
  }
  struct Thread* waker = current_thread();
  if (!waker) return 0;
  cut(waker, now_ns);
  go_on(waker, now_ns);
  return 0;
}

SEC("tp_btf/softirq_entry")
int on_softirq(const void* context) {
  const __u64 now_ns = bpf_ktime_get_ns();
  struct Thread* thread = current_thread();
  if (!thread || thread->part == part_softirq) return 0;
  cut(thread, now_ns);
  struct LedgerPart* part = part_of(thread->subject, thread->part);
  if (part) add(&part->softirqs, 1);
  thread->part_before_softirq = thread->part;
  enter(thread, part_softirq);
  go_on(thread, now_ns);
  return 0;
}

SEC("tp_btf/softirq_exit")
int on_softirq_end(const void* context) {
  const __u64 now_ns = bpf_ktime_get_ns();
  struct Thread* thread = current_thread();
  if (!thread || thread->part != part_softirq) return 0;
  cut(thread, now_ns);
  thread->part = thread->part_before_softirq;
  go_on(thread, now_ns);
  return 0;
}

SEC("tp_btf/contention_begin")
int on_contention(const void* context) {
  struct Thread* thread = current_thread();
  if (thread) thread->contended_ns = bpf_ktime_get_ns();
  return 0;
}

SEC("tp_btf/contention_end")
int on_contention_end(const void* context) {
  struct Thread* thread = current_thread();
  if (!thread || thread->contended_ns == 0) return 0;
  struct LedgerPart* part = part_of(thread->subject, thread->part);
  if (part) {
    add(&part->contentions, 1);
    add(&part->contended_ns, bpf_ktime_get_ns() - thread->contended_ns);
  }
  thread->contended_ns = 0;
  return 0;
}

// Threads and processes that a server makes are the server's.
SEC("tp_btf/task_newtask")
int BPF_PROG(on_new_thread, struct task_struct* made) {
  const __u32* found = inherited_subject(made);
  if (!found) return 0;
  const __u32 tid = made->pid;
  const bool stays_in_kernel = made->flags & (flag_io_worker | flag_user_worker);
  const struct Thread fresh = {.subject = *found,
                               .part = stays_in_kernel ? part_kernel_thread : part_unknown};
  bpf_map_update_elem(&threads, &tid, &fresh, BPF_ANY);
  return 0;
}

// At each tick of a clock of CPU time: where the server is.
SEC("perf_event")
int on_sample(void* context) {
  const __u32 process = bpf_get_current_pid_tgid() >> 32;
  const __u32* subject = bpf_map_lookup_elem(&subjects, &process);
  if (!subject) return 0;
  const struct StackKey key = {
      .subject = *subject,
      .user = (__s32)bpf_get_stackid(context, &stacks, BPF_F_USER_STACK),
      .kernel = (__s32)bpf_get_stackid(context, &stacks, 0),
  };
  const __u64 none = 0;
  __u64* count = bpf_map_lookup_elem(&samples, &key);
  if (!count) {
    bpf_map_update_elem(&samples, &key, &none, BPF_NOEXIST);
    count = bpf_map_lookup_elem(&samples, &key);
  }
  if (count) add(count, 1);
  return 0;
}
