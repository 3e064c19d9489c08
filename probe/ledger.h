#pragma once

// What the kernel's part of the probe counts, in memory that it shares with the process that reads
// it. Read by C, which makes the eBPF program, and by C++.

#include <linux/types.h>

enum {
  subjects_max = 8,     // servers that one probe tells apart
  threads_max = 65536,  // of all of them
};

// The parts of a thread's CPU time.
enum {
  part_user,           // user mode
  part_softirq,        // interrupts' work that the kernel does while the thread runs: on loopback,
                       // to send is to receive for the peer
  part_kernel_thread,  // threads of the server that never enter user mode, as io_uring's workers
  part_probe,          // the probe's own programs, as far as they time themselves
  part_preemption,     // the kernel's locks and switches in the midst of user mode, as far as these
                       // can be told from it
  part_unknown,        // of a thread that has done nothing yet by which it could be told
  part_first_syscall,  // and that plus N: system call N
  parts_max = 1024,    // a power of two
};

struct LedgerPart {
  __u64 entries;       // how often a thread came to it
  __u64 cpu_ns;        // on a CPU, with what the probe takes but for its programs
  __u64 slept_ns;      // of that, in calls in which the thread had to wait
  __u64 softirqs;      // that came within it, and are a part of their own
  __u64 wakes;         // softirqs in which a thread that is not the server's was woken
  __u64 waking_ns;     // CPU time of these
  __u64 blocks;        // switches to another thread since this one had to wait
  __u64 blocked_ns;    // from there until it was woken
  __u64 preemptions;   // switches to another thread though this one could have gone on
  __u64 run_queue_ns;  // ready to run, and not running
  __u64 contentions;   // waits for a lock of the kernel
  __u64 contended_ns;  // of these waits, spinning included
};

enum {
  frames_max = 64,     // of a stack
  stacks_max = 16384,  // different ones
};

// A stack of which samples are counted: the frames of each half are found by its number, which is
// negative if there is none.
struct StackKey {
  __u32 subject;
  __s32 user;
  __s32 kernel;
};

struct Ledger {
  struct LedgerPart parts[subjects_max][parts_max];
  __u64 threads_lost;  // that found no place among the threads_max
};
