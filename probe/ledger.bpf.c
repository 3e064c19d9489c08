// The kernel's part of the probe: follows the threads of the servers from part to part of what they
// do, and adds up. Tracepoints only: where the kernel is locked down, nothing else is to be had.

#include "probe/accounts.bpf.h"

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

enum {
  // A softirq that takes longer has lost the CPU to the host of a virtual machine: what it takes to
  // wake a client is not seen by it.
  softirq_max_ns = 100000,
  // From the end of a system call to the switch that it has brought about.
  way_max_ns = 5000,
};

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
  forget_call(thread);
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

static __always_inline void leave_cpu(struct Thread* thread, __u64 now_ns, unsigned int state,
                                      __u64 charged_ns) {
  const bool had_cause = thread->woke_in || thread->was_contended;
  if (had_cause && now_ns - thread->since_ns < way_max_ns) thread->is_interrupted = 1;
  cut(thread, now_ns);
  if (thread->came_ns != 0) {
    const __s64 ran_ns = now_ns - thread->came_ns - thread->taken_out_ns;
    thread->owed_ns += charged_ns - thread->charged_ns - ran_ns;
  }
  thread->came_ns = 0;
  thread->since_ns = 0;
  thread->off_ns = now_ns;
  thread->is_blocked = state != 0;
  if (state != 0) thread->has_slept = 1;
  struct LedgerPart* part = part_of(thread->subject, part_now(thread));
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
  forget_call(thread);
  begin(thread, now_ns);
  thread->came_ns = now_ns;
  thread->charged_ns = charged_ns;
  thread->taken_out_ns = 0;
  thread->owed_ns = 0;
  thread->part_come_to = thread->part;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct* previous, struct task_struct* next,
             unsigned int state) {
  const __u64 now_ns = bpf_ktime_get_ns();
  const __u32 from = previous->pid;
  struct Thread* leaving = thread_of(from, previous->tgid);
  struct Thread* coming = thread_of(next->pid, next->tgid);
  // What the program does for both is in the coming one's time, who runs to the scheduler by now.
  if (coming) come_to_cpu(coming, now_ns, next->se.sum_exec_runtime);
  if (leaving) {
    const __u64 last_ns = leaving->since_ns == 0 ? 0 : now_ns - leaving->since_ns;
    // A thread that is preempted on its way to sleep has a state, and can go on all the same.
    leave_cpu(leaving, now_ns, preempt ? 0 : state, previous->se.sum_exec_runtime);
    if (!hand_on(leaving, coming)) charge_as_scheduler(leaving, last_ns);
    if (state & state_dead) bpf_map_delete_elem(&threads, &from);
  }
  if (coming) go_on(coming, now_ns);
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
  if (!thread) waker->woke_other = 1;
  const __u32 in = waker->part == part_softirq ? waker->part_before_softirq : waker->part;
  if (thread && thread->subject == waker->subject && in >= part_first_syscall) waker->woke_in = in;
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
  thread->softirq_ns = 0;
  thread->woke_other = 0;
  go_on(thread, now_ns);
  return 0;
}

SEC("tp_btf/softirq_exit")
int on_softirq_end(const void* context) {
  const __u64 now_ns = bpf_ktime_get_ns();
  struct Thread* thread = current_thread();
  if (!thread || thread->part != part_softirq) return 0;
  cut(thread, now_ns);
  struct LedgerPart* part = part_of(thread->subject, part_softirq);
  if (part && thread->woke_other && thread->softirq_ns < softirq_max_ns) {
    add(&part->wakes, 1);
    add(&part->waking_ns, thread->softirq_ns);
  }
  thread->part = thread->part_before_softirq;
  go_on(thread, now_ns);
  return 0;
}

SEC("tp_btf/contention_begin")
int on_contention(const void* context) {
  const __u64 now_ns = bpf_ktime_get_ns();
  struct Thread* thread = current_thread();
  if (!thread) return 0;
  thread->contended_ns = now_ns;
  if (thread->part != part_user) return 0;
  cut(thread, now_ns);
  thread->is_interrupted = 1;  // user mode has no locks of the kernel
  go_on(thread, now_ns);
  return 0;
}

SEC("tp_btf/contention_end")
int on_contention_end(const void* context) {
  const __u64 now_ns = bpf_ktime_get_ns();
  struct Thread* thread = current_thread();
  if (!thread || thread->contended_ns == 0) return 0;
  struct LedgerPart* part = part_of(thread->subject, part_now(thread));
  if (part) {
    add(&part->contentions, 1);
    add(&part->contended_ns, now_ns - thread->contended_ns);
  }
  thread->contended_ns = 0;
  if (!thread->is_interrupted) return 0;
  cut(thread, now_ns);
  thread->is_interrupted = 0;
  thread->was_contended = 1;
  go_on(thread, now_ns);
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
