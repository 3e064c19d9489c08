"""Figures of a trial, of its load, its server or one of its slices; None where it has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from serverlab.load_result import Interval, LoadResult
    from serverlab.records import ServerRecord, Stamps, Trial

NS_PER_US = 1e3
SPLIT_S_MIN = 0.1  # 25 ticks of 4 ms: a share of one half has a standard error of 0.1 in a block


def of_load(figure: Callable[[LoadResult], float | None]) -> Callable[[Trial], float | None]:
    """A figure of the load's result."""
    return lambda trial: None if trial.load is None else figure(trial.load)


def of_server(figure: Callable[[ServerRecord], float | None]) -> Callable[[Trial], float | None]:
    """A figure of the server process."""
    return lambda trial: None if trial.server is None else figure(trial.server)


def of_stamps(figure: Callable[[Stamps], float | None]) -> Callable[[Trial], float | None]:
    """A figure of the times that the server stamped; None if it was not asked to."""

    def stamped(server: ServerRecord) -> float | None:
        stamps = None if server.summary is None else server.summary.stamps
        return None if stamps is None else figure(stamps)

    return of_server(stamped)


def server_cpus(trial: Trial) -> float | None:
    """CPUs that the server kept busy."""
    return None if trial.server is None else trial.server.cpus_busy


def generator_cpus(trial: Trial) -> float | None:
    """CPUs that the generator kept busy."""
    if trial.load is None or trial.load.window.duration_s <= 0:
        return None
    return (trial.load.cpu.user_s + trial.load.cpu.system_s) / trial.load.window.duration_s


def both_cpus(trial: Trial) -> float | None:
    """CPUs that the two kept busy together."""
    server, generator = server_cpus(trial), generator_cpus(trial)
    return None if server is None or generator is None else server + generator


def server_cpu_ns(trial: Trial) -> float | None:
    """CPU time of the server for a request."""
    if trial.server is None or trial.server.cpu_per_request_us is None:
        return None
    return NS_PER_US * trial.server.cpu_per_request_us


def server_cpu_split_ns(trial: Trial) -> tuple[float, float] | None:
    """CPU time of the server for a request in user mode and in the kernel.

    The sum is exact. How it is split, many kernels only sample, at each tick of their clock; None
    where there were too few of them.
    """
    server, both_ns = trial.server, server_cpu_ns(trial)
    if server is None or server.user_s is None or server.system_s is None or both_ns is None:
        return None
    seen_s = server.user_s + server.system_s
    if seen_s < SPLIT_S_MIN:
        return None
    return both_ns * server.user_s / seen_s, both_ns * server.system_s / seen_s


def server_user_cpu_ns(trial: Trial) -> float | None:
    """CPU time of the server for a request, in user mode."""
    split_ns = server_cpu_split_ns(trial)
    return None if split_ns is None else split_ns[0]


def server_kernel_cpu_ns(trial: Trial) -> float | None:
    """CPU time of the server for a request, in the kernel."""
    split_ns = server_cpu_split_ns(trial)
    return None if split_ns is None else split_ns[1]


def both_cpu_ns(trial: Trial) -> float | None:
    """CPU time of server and generator for a request."""
    server_ns = server_cpu_ns(trial)
    if server_ns is None or trial.load is None or trial.load.cpu.per_request_us is None:
        return None
    return server_ns + NS_PER_US * trial.load.cpu.per_request_us


def switches_per_request(trial: Trial) -> float | None:
    """Context switches of the server's threads for a request.

    Older versions lost the counts of threads that ended, so that the difference could be negative:
    then it is not known.
    """
    if trial.server is None or trial.server.switches is None or trial.load is None:
        return None
    switches = trial.server.switches.voluntary + trial.server.switches.involuntary
    requests = trial.server.requests or trial.load.requests.received
    return switches / requests if requests and switches >= 0 else None


def goodput_per_connection(load: LoadResult) -> float | None:
    """What a client has of the goodput, if all have the same."""
    requested = load.connections.requested
    return load.rate.goodput_per_s / requested if requested else None


def class_rate_per_s(load: LoadResult, name: str) -> float | None:
    """Answered requests of a class over the window; None if the load has no such class."""
    times = load.classes.get(name)
    return times.count / load.window.duration_s if times and load.window.duration_s > 0 else None


def over_mean(end: str) -> Callable[[LoadResult], float | None]:
    """The requests of the connection that has most ("max") or fewest ("min"), over the average."""

    def share(load: LoadResult) -> float | None:
        value, mean = getattr(load.fairness, end), load.fairness.mean
        return value / mean if value is not None and mean else None

    return share


def lock_waits_per_request(trial: Trial) -> float | None:
    """How often a thread of the server found a lock taken, over its life, for a request."""
    summary = None if trial.server is None else trial.server.summary
    if summary is None or not summary.service or not summary.requests:
        return None
    waits = [count for name, count in summary.service.items() if name.endswith("lock_waits")]
    return sum(waits) / summary.requests if waits else None


def all_done_ns(load: LoadResult) -> float | None:
    """When the last client had done all its sessions, or had its own time."""
    return None if load.window.all_done_s is None else 1e9 * load.window.all_done_s


def bytes_per_s(load: LoadResult) -> float | None:
    """Payload of requests and replies together."""
    moved = load.bytes.sent + load.bytes.received
    return moved / load.window.duration_s if load.window.duration_s > 0 else None


def slice_goodput_per_s(row: Interval) -> float | None:
    """Right replies per second of a slice's window."""
    return row.completed / row.duration_s if row.duration_s > 0 else None


def slice_server_cpu_ns(row: Interval) -> float | None:
    """CPU time of the server for a request, over a whole slice."""
    if not row.server_cpu_s or not row.answered:
        return None
    return 1e9 * row.server_cpu_s / row.answered
