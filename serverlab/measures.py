"""What the report shows of a trial: each measure once."""

from __future__ import annotations

import functools

from serverlab.measure import Group, Measure
from serverlab.trial_figures import (
    all_done_ns,
    both_cpu_ns,
    both_cpus,
    bytes_per_s,
    class_rate_per_s,
    generator_cpus,
    goodput_per_connection,
    lock_waits_per_request,
    of_load,
    of_server,
    of_stamps,
    over_mean,
    server_cpu_ns,
    server_cpus,
    server_kernel_cpu_ns,
    server_user_cpu_ns,
    slice_goodput_per_s,
    slice_server_cpu_ns,
    switches_per_request,
)

OF_LIFE = "from the server's start to its end"

GOODPUT = Measure(
    name="goodput",
    title="Goodput",
    kind="requests/s",
    of=of_load(lambda load: load.rate.goodput_per_s),
    note="right replies per second; more is better",
    more_is_better=True,
    of_slice=slice_goodput_per_s,
    falls_with_other_work=True,
)
GOODPUT_PER_CONNECTION = Measure(
    name="goodput-per-connection",
    title="Goodput per connection",
    kind="requests/s",
    of=of_load(goodput_per_connection),
    note="goodput over the connections asked for: average per connection",
    more_is_better=True,
)
MEAN = Measure(
    name="latency-mean",
    title="Mean latency",
    kind="time",
    of=of_load(lambda load: load.latency_ns.mean),
    note="received − intended, answered requests only",
    from_send=of_load(lambda load: load.service_time_ns.mean),
)
P50 = Measure(
    name="latency-p50",
    title="p50 latency",
    kind="time",
    of=of_load(lambda load: load.latency_ns.p50),
    note="half of the requests took longer",
    share=0.5,
    from_send=of_load(lambda load: load.service_time_ns.p50),
)
P90 = Measure(
    name="latency-p90",
    title="p90 latency",
    kind="time",
    of=of_load(lambda load: load.latency_ns.p90),
    note="one request in 10 took longer",
    share=0.9,
    from_send=of_load(lambda load: load.service_time_ns.p90),
)
P99 = Measure(
    name="latency-p99",
    title="p99 latency",
    kind="time",
    of=of_load(lambda load: load.latency_ns.p99),
    note="one request in 100 took longer",
    share=0.99,
    from_send=of_load(lambda load: load.service_time_ns.p99),
)
P99_9 = Measure(
    name="latency-p99.9",
    title="p99.9 latency",
    kind="time",
    of=of_load(lambda load: load.latency_ns.p99_9),
    note="one request in 1000 took longer; needs 10 000 requests in each trial",
    share=0.999,
    from_send=of_load(lambda load: load.service_time_ns.p99_9),
)
SESSION_MEAN = Measure(
    name="session-mean",
    title="Mean session time",
    kind="time",
    of=of_load(lambda load: load.session_ns.mean),
    note="from a session's arrival to its close",
    of_some_loads=True,
)
SESSION_P50 = Measure(
    name="session-p50",
    title="p50 session time",
    kind="time",
    of=of_load(lambda load: load.session_ns.p50),
    note="from a session's arrival to its close; half of the sessions took longer",
    share=0.5,
    of_some_loads=True,
)
ALL_DONE = Measure(
    name="all-done",
    title="Time until all clients are done",
    kind="time",
    of=of_load(all_done_ns),
    note="from the beginning until the last client has done its sessions, or had its own time",
    of_some_loads=True,
)
CONNECT_P50 = Measure(
    name="connect-p50",
    title="p50 connect time",
    kind="time",
    of=of_load(lambda load: load.connect_ns.p50),
    note="from connect to connected, those before the window included",
    share=0.5,
)
SERVER_CPU = Measure(
    name="server-cpu-per-request",
    title="Server CPU per request",
    kind="time",
    of=server_cpu_ns,
    note="CPU time of the server process for each right reply; less is better",
    of_slice=slice_server_cpu_ns,
    counts_disturbed=True,
)
USER_CPU = Measure(
    name="server-user-cpu-per-request",
    title="Server CPU per request, in user mode",
    kind="time",
    of=server_user_cpu_ns,
    note="its own code and libraries; the kernel's split of CPU time is an estimate",
    of_some_loads=True,
)
KERNEL_CPU = Measure(
    name="server-kernel-cpu-per-request",
    title="Server CPU per request, in the kernel",
    kind="time",
    of=server_kernel_cpu_ns,
    note="system calls and the network's work in them; the kernel's split is an estimate",
    of_some_loads=True,
)
BOTH_CPU = Measure(
    name="cpu-per-request",
    title="CPU per request, both sides",
    kind="time",
    of=both_cpu_ns,
    note="server and generator: on loopback the sender's call does part of the receiver's work",
)
SERVER_CPUS = Measure(
    name="server-cpus",
    title="Server CPU",
    kind="CPUs busy",
    of=server_cpus,
    note="1 is one CPU fully busy",
)
GENERATOR_CPUS = Measure(
    name="generator-cpus",
    title="Generator CPU",
    kind="CPUs busy",
    of=generator_cpus,
    note="a busy generator is a limit of the measurement, not of the server",
)
BOTH_CPUS = Measure(
    name="cpus",
    title="CPU, both sides",
    kind="CPUs busy",
    of=both_cpus,
    note="server and generator together",
)
OTHER_CPUS = Measure(
    name="other-cpus",
    title="CPU, other work",
    kind="CPUs busy",
    of=lambda trial: trial.other_cpus_busy,
    note="of server's and generator's CPUs, by all but these two: it disturbs the measurement",
    of_some_loads=True,
)
RSS = Measure(
    name="memory",
    title="Server memory",
    kind="memory",
    of=of_server(lambda server: server.rss_bytes_max),
    note="largest resident set (RSS) in the window; without the kernel's socket buffers",
)
THREADS = Measure(
    name="threads",
    title="Server threads",
    kind="threads",
    of=of_server(lambda server: server.threads_max),
    note="most in the window",
)
DESCRIPTORS = Measure(
    name="descriptors",
    title="Server descriptors",
    kind="descriptors",
    of=of_server(lambda server: server.descriptors_max),
    note="most open in the window",
)
SWITCHES = Measure(
    name="switches-per-request",
    title="Context switches per request",
    kind="per request",
    of=switches_per_request,
    note="of the server's threads, voluntary and involuntary",
)

LOCK_WAITS = Measure(
    name="lock-waits-per-request",
    title="Lock waits per request",
    kind="per request",
    of=lock_waits_per_request,
    note=f"how often a thread found a lock of the service taken; {OF_LIFE}",
    of_some_loads=True,
)
SERVER_TIME_MEAN = Measure(
    name="server-time-mean",
    title="Mean server time per message",
    kind="time",
    of=of_stamps(lambda stamps: stamps.message_ns.mean),
    note=f"from the chunk that completes a message to its reply in the session; {OF_LIFE}",
    of_some_loads=True,
)
SERVER_TIME_P50 = Measure(
    name="server-time-p50",
    title="p50 server time per message",
    kind="time",
    of=of_stamps(lambda stamps: stamps.message_ns.p50),
    note=f"half of the messages took the session longer; {OF_LIFE}",
    share=0.5,
    of_some_loads=True,
)
STORE_TIME_MEAN = Measure(
    name="store-time-mean",
    title="Mean store time per message",
    kind="time",
    of=of_stamps(lambda stamps: stamps.store_ns.mean),
    note=f"of the server time, what was spent in the store and at its locks; {OF_LIFE}",
    of_some_loads=True,
)
SOCKET_OPEN_MEAN = Measure(
    name="socket-open-mean",
    title="Mean time from open to close at the server",
    kind="time",
    of=of_stamps(lambda stamps: stamps.connection_ns.mean),
    note=f"of each connection, from its session's opening to its closing; {OF_LIFE}",
    of_some_loads=True,
)
LOCK_WAIT_MEAN = Measure(
    name="lock-wait-mean",
    title="Mean wait for a lock",
    kind="time",
    of=of_stamps(lambda stamps: stamps.lock_wait_ns.mean),
    note=f"of the waits for a lock of the service; {OF_LIFE}",
    of_some_loads=True,
)
LOCK_WAIT_P99 = Measure(
    name="lock-wait-p99",
    title="p99 wait for a lock",
    kind="time",
    of=of_stamps(lambda stamps: stamps.lock_wait_ns.p99),
    note=f"one wait in 100 took longer; {OF_LIFE}",
    share=0.99,
    of_some_loads=True,
)
REQUESTS = Measure(
    name="requests",
    title="Requests with a reply",
    kind="requests",
    of=of_load(lambda load: float(load.requests.received)),
    note="right replies within the window, of all connections together",
    more_is_better=True,
)
BYTES = Measure(
    name="payload-bytes",
    title="Payload",
    kind="bytes/s",
    of=of_load(bytes_per_s),
    note="requests and replies together, without the headers of TCP",
    more_is_better=True,
)
MOST_SERVED = Measure(
    name="most-served",
    title="Share of the most served connection",
    kind="× the average",
    of=of_load(over_mean("max")),
    note="requests of the connection that had most, over the average; 1 is even",
)
LEAST_SERVED = Measure(
    name="least-served",
    title="Share of the least served connection",
    kind="× the average",
    of=of_load(over_mean("min")),
    note="requests of the connection that had fewest, over the average; 1 is even",
    more_is_better=True,
)
REQUESTS_SPREAD = Measure(
    name="requests-spread",
    title="Spread of requests between connections",
    kind="of the average",
    of=of_load(lambda load: load.fairness.cv),
    note="standard deviation of the requests of a connection, over the average; 0 is even",
)
CLASSES = ("post", "read", "count", "list", "unknown", "get", "set")  # of forum, then of kv


@functools.cache
def answered_of(name: str) -> Measure:
    """Answers to one class of requests per second."""
    return Measure(
        name=f"answered-{name}",
        title=f"Answered {name.upper()}s",
        kind="requests/s",
        of=of_load(lambda load: class_rate_per_s(load, name)),
        note="of all connections together",
        more_is_better=True,
        of_some_loads=True,
    )


@functools.cache
def latency_of(name: str) -> Measure:
    """Median latency of one class of requests: half of them took longer."""
    return Measure(
        name=f"latency-p50-{name}",
        title=f"p50 latency of {name.upper()}",
        kind="time",
        of=of_load(lambda load: load.classes[name].p50 if name in load.classes else None),
        note="answered requests only",
        of_some_loads=True,
    )


LATENCIES = (MEAN, P50, P90, P99, P99_9)
OF_CLASSES = {one.name for one in (GOODPUT, *LATENCIES)}  # what is known of a class by itself
GROUPS = (
    Group(
        title="Throughput and what it costs",
        measures=(GOODPUT, REQUESTS, GOODPUT_PER_CONNECTION, BYTES, SERVER_CPU),
    ),
    Group(title="Latency", measures=LATENCIES),
    Group(
        title="Each class of requests",
        measures=(*map(answered_of, CLASSES), *map(latency_of, CLASSES)),
    ),
    Group(
        title="Sessions and sockets", measures=(SESSION_MEAN, SESSION_P50, ALL_DONE, CONNECT_P50)
    ),
    Group(
        title="Stamps of the server",
        measures=(
            SERVER_TIME_MEAN,
            SERVER_TIME_P50,
            STORE_TIME_MEAN,
            SOCKET_OPEN_MEAN,
            LOCK_WAIT_MEAN,
            LOCK_WAIT_P99,
        ),
    ),
    Group(
        title="Evenness between connections",
        measures=(MOST_SERVED, LEAST_SERVED, REQUESTS_SPREAD),
    ),
    Group(
        title="CPU: server, generator, together, other work",
        measures=(
            USER_CPU,
            KERNEL_CPU,
            SERVER_CPUS,
            GENERATOR_CPUS,
            BOTH_CPUS,
            BOTH_CPU,
            OTHER_CPUS,
        ),
    ),
    Group(
        title="Memory, descriptors, threads",
        measures=(RSS, DESCRIPTORS, THREADS, SWITCHES, LOCK_WAITS),
    ),
)
MEASURES = tuple(measure for group in GROUPS for measure in group.measures)
BY_NAME = {measure.name: measure for measure in MEASURES}
