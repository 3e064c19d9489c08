// The kernel's part of `--tail`: follows the requests of some connections from the server's socket
// to the reply at the client's, and says where each of them waited.
//
// Of each thread of a server its last periods off the CPU are remembered. When a thread reads a
// request or sends a reply, what it did meanwhile is looked up there: that a thread would be the
// one which reads is known only then.

#include "probe/requests.h"

#include "probe/tasks.bpf.h"

#include <stdbool.h>

// include/linux/socket.h
enum { family_inet = 2, family_inet6 = 10, flag_peek = 2 };
enum { periods_max = 128 };  // a power of two

struct sock_common {
  __u16 skc_dport;  // in the order of the network
  __u16 skc_num;
  unsigned short skc_family;
} __attribute__((preserve_access_index));

struct sock {
  struct sock_common __sk_common;
} __attribute__((preserve_access_index));

// Of a thread, off a CPU.
struct Period {
  __u64 off_ns;    // from here
  __u64 ready_ns;  // could run again
  __u64 on_ns;     // runs
  __u64 stopped;   // was stopped by a signal meanwhile
};

struct Thread {
  struct Period periods[periods_max];
  __u64 last;      // the number of the period that ended last
  __u64 off_ns;    // 0: it runs, or that is not known
  __u64 woken_ns;  // at last; 0: not yet
  __u32 is_blocked;
  __u32 is_stopped;
};

enum State { arrived, read, replied };

// The request of a connection that is on its way.
struct Request {
  struct FollowedRequest followed;
  __u64 arrived_ns;
  __u64 read_ns;
  __u64 replied_ns;
  __u64 client_ns;   // the client has read the reply
  __u64 unknown_ns;  // before it was read
  enum State state;
  bool is_by_another;  // the reply came to the client by a thread that is not the server's
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, threads_max);
  __type(key, __u32);  // a thread
  __type(value, struct Thread);
} threads SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct Thread);  // of which nothing is known yet: too large for the stack
} unknown_thread SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, connections_max);
  __type(key, __u32);  // both ports of a connection
  __type(value, struct Request);
} requests SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, followed_bytes_max);
} followed SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, __u32);
  __type(value, struct Following);
} following SEC(".maps");

// What happens at a socket of a server, or of one of its clients.
struct Place {
  __u32 server;
  __u16 server_port;
  __u16 client_port;
  bool is_client;
  bool is_followed;
};

static __always_inline struct Following* how(void) {
  const __u32 first = 0;
  return bpf_map_lookup_elem(&following, &first);
}

// The number of the server that listens there, and subjects_max if none does.
static __always_inline __u32 server_at(const struct Following* chosen, __u16 port) {
  __u32 server = 0;
  while (server < subjects_max && chosen->ports[server] != port) ++server;
  return server;
}

static __always_inline struct Place place_of(const struct sock* sk) {
  struct Place place = {};
  const unsigned short family = sk->__sk_common.skc_family;
  if (family != family_inet && family != family_inet6) return place;
  const __u16 own = sk->__sk_common.skc_num;
  const __u16 peers = __builtin_bswap16(sk->__sk_common.skc_dport);
  const struct Following* chosen = how();
  if (peers == 0 || !chosen || chosen->one_in == 0) return place;
  place.server = server_at(chosen, own);
  place.is_client = place.server == subjects_max;
  if (place.is_client) place.server = server_at(chosen, peers);
  if (place.server == subjects_max) return place;
  place.server_port = place.is_client ? peers : own;
  place.client_port = place.is_client ? own : peers;
  // Knuth, The Art of Computer Programming, volume 3, 6.4: multiplicative hashing
  const __u32 hash = (place.client_port ^ chosen->salt) * 2654435769U;
  place.is_followed = (hash >> 16) % chosen->one_in == 0;
  return place;
}

static __always_inline __u32 key_of(struct Place place) {
  return (__u32)place.server_port << 16 | place.client_port;
}

// A thread of a server; 0 if it is none.
static __always_inline struct Thread* thread_of(__u32 tid, __u32 tgid) {
  if (tid == 0) return 0;  // an idle CPU
  struct Thread* known = bpf_map_lookup_elem(&threads, &tid);
  if (known) return known;
  if (!bpf_map_lookup_elem(&subjects, &tgid)) return 0;
  const __u32 first = 0;
  const struct Thread* fresh = bpf_map_lookup_elem(&unknown_thread, &first);
  if (fresh) bpf_map_update_elem(&threads, &tid, fresh, BPF_NOEXIST);
  return bpf_map_lookup_elem(&threads, &tid);
}

static __always_inline struct Thread* current_thread(void) {
  const __u64 id = bpf_get_current_pid_tgid();
  return thread_of((__u32)id, id >> 32);
}

// What a thread, which runs, has done since: into four lanes, and that of what is not known.
static __always_inline void split(const struct Thread* thread, __u64 since_ns, __u64 now_ns,
                                  __u64* lanes_ns, __u64* unknown_ns) {
  __u64 end_ns = now_ns;
  for (int back = 0; thread && back < periods_max; ++back) {
    const struct Period* period = &thread->periods[(thread->last - back) & (periods_max - 1)];
    lanes_ns[lane_busy] += end_ns - later(period->on_ns, since_ns);
    if (period->on_ns <= since_ns) return;
    const __u64 ready_ns = later(period->ready_ns, since_ns);
    const __u64 off_ns = later(period->off_ns, since_ns);
    lanes_ns[lane_queued] += period->on_ns - ready_ns;
    lanes_ns[period->stopped ? lane_stopped : lane_asleep] += ready_ns - off_ns;
    if (period->off_ns <= since_ns) return;
    end_ns = period->off_ns;
  }
  *unknown_ns += end_ns - since_ns;
}

static __always_inline void tell(struct Request* request) {
  __u64* lanes_ns = request->followed.lanes_ns;
  if (request->client_ns > request->replied_ns)
    lanes_ns[lane_client] = request->client_ns - request->replied_ns;
  if (bpf_ringbuf_output(&followed, &request->followed, sizeof request->followed, 0) == 0) return;
  struct Following* counted = how();
  if (counted) __sync_fetch_and_add(&counted->lost, 1);
}

// A request comes; the one before it is over.
static __always_inline void begin(struct Place place, __u64 now_ns) {
  const __u32 key = key_of(place);
  struct Request* known = bpf_map_lookup_elem(&requests, &key);
  if (known && known->state != replied) return;  // its next piece
  if (known) tell(known);
  const struct Request fresh = {
      .followed = {.server = place.server, .client_port = place.client_port},
      .arrived_ns = now_ns,
      .state = arrived,
  };
  bpf_map_update_elem(&requests, &key, &fresh, BPF_ANY);
}

// A reply, or its next piece, comes to the client, most often while the thread that sends it does
// that.
static __always_inline void reply(struct Request* request, __u64 now_ns) {
  if (request->state != read && request->state != replied) return;
  request->state = replied;
  request->replied_ns = now_ns;
  __u64* lanes_ns = request->followed.lanes_ns;
  for (int lane = lane_running; lane <= lane_served_stopped; ++lane) lanes_ns[lane] = 0;
  lanes_ns[lane_unknown] = request->unknown_ns;
  const struct Thread* sender = current_thread();
  request->is_by_another = !sender;
  split(sender, request->read_ns, now_ns, lanes_ns + lane_running, lanes_ns + lane_unknown);
}

SEC("tp_btf/sk_data_ready")
int BPF_PROG(on_data, const struct sock* sk) {
  const struct Place place = place_of(sk);
  if (!place.is_followed) return 0;
  const __u64 now_ns = bpf_ktime_get_ns();
  if (!place.is_client) {
    begin(place, now_ns);
    return 0;
  }
  const __u32 key = key_of(place);
  struct Request* request = bpf_map_lookup_elem(&requests, &key);
  if (request && (request->state == read || current_thread())) reply(request, now_ns);
  return 0;
}

// If the client is at its socket when a reply comes, the kernel leaves it there to the client, and
// another thread may bring it to the socket: that of the server is known when it has sent.
SEC("tp_btf/sock_send_length")
int BPF_PROG(on_sent, struct sock* sk, int sent, int flags) {
  const struct Place place = place_of(sk);
  if (!place.is_followed || place.is_client) return 0;
  const __u32 key = key_of(place);
  struct Request* request = bpf_map_lookup_elem(&requests, &key);
  if (request && (request->state == read || request->is_by_another))
    reply(request, bpf_ktime_get_ns());
  return 0;
}

SEC("tp_btf/sock_recv_length")
int BPF_PROG(on_receive, struct sock* sk, int received, int flags) {
  if (received <= 0 || flags & flag_peek) return 0;
  const struct Place place = place_of(sk);
  if (!place.is_followed) return 0;
  const __u32 key = key_of(place);
  struct Request* request = bpf_map_lookup_elem(&requests, &key);
  if (!request) return 0;
  const __u64 now_ns = bpf_ktime_get_ns();
  if (place.is_client) {
    if (request->state == replied) request->client_ns = now_ns;
  } else if (request->state == arrived) {
    request->state = read;
    request->read_ns = now_ns;
    __u64* lanes_ns = request->followed.lanes_ns;
    split(current_thread(), request->arrived_ns, now_ns, lanes_ns, &request->unknown_ns);
  }
  return 0;
}

static __always_inline void leave_cpu(struct Thread* thread, bool preempt, unsigned int state) {
  thread->off_ns = bpf_ktime_get_ns();
  // A thread that is preempted on its way to sleep has a state, and can go on all the same.
  thread->is_blocked = !preempt && state != 0;
  thread->is_stopped = (state & state_stopped) != 0;
}

static __always_inline void come_to_cpu(struct Thread* thread) {
  const __u64 now_ns = bpf_ktime_get_ns();
  // One that is woken while it leaves the CPU is woken before it has left.
  const __u64 woken_ns = later(thread->woken_ns, thread->off_ns);
  struct Period* period = &thread->periods[++thread->last & (periods_max - 1)];
  period->off_ns = thread->off_ns;
  period->ready_ns = thread->is_blocked || thread->off_ns == 0 ? woken_ns : thread->off_ns;
  period->on_ns = now_ns;
  period->stopped = thread->is_stopped;
  thread->off_ns = 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct* previous, struct task_struct* next,
             unsigned int state) {
  const __u32 from = previous->pid;
  struct Thread* leaving = thread_of(from, previous->tgid);
  if (leaving) {
    leave_cpu(leaving, preempt, state);
    if (state & state_dead) bpf_map_delete_elem(&threads, &from);
  }
  struct Thread* coming = thread_of(next->pid, next->tgid);
  if (coming) come_to_cpu(coming);
  return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct* woken) {
  struct Thread* thread = thread_of(woken->pid, woken->tgid);
  if (thread) thread->woken_ns = bpf_ktime_get_ns();
  return 0;
}

SEC("tp_btf/task_newtask")
int BPF_PROG(on_new_thread, struct task_struct* made) {
  inherited_subject(made);
  return 0;
}
