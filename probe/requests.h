#pragma once

// What the kernel's part of the probe tells of a request that it has followed. Read by C, which
// makes the eBPF program, and by C++.

#include "probe/ledger.h"

#include <linux/types.h>

// Where a request is, from when its first byte is at the server's socket until the client has read
// the reply. Before it is read, by what the thread does that is going to read it:
enum {
  lane_busy,     // runs, for other requests
  lane_asleep,   // has to be woken
  lane_queued,   // could run, and has no CPU
  lane_stopped,  // by a signal
  // While it is served, by what the thread does that sends the reply:
  lane_running,
  lane_blocked,
  lane_preempted,
  lane_served_stopped,
  lane_client,   // the reply is at the client's socket
  lane_unknown,  // longer ago than the periods that are remembered of a thread
  lanes_max,
};

struct FollowedRequest {
  __u32 server;
  __u32 client_port;
  __u64 lanes_ns[lanes_max];
};

struct Following {
  __u32 one_in;               // so many connections, one is followed
  __u32 salt;                 // decides which
  __u64 lost;                 // requests for which there was no place
  __u16 ports[subjects_max];  // where each server listens; 0: there is none
};

enum {
  ports_max = 65536,
  connections_max = 65536,
  followed_bytes_max = 8 << 20,  // of requests that wait to be read
};
