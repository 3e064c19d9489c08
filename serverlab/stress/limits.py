"""Which limit it was: from what the kernel has counted, what the load has seen, how a server died.

A limit of the server's own processes goes before one of the machine, and that before counters of
the whole network namespace, to which others contribute. What the generator lacked is named as the
generator's.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

import msgspec

from serverlab.notation import count, readable
from serverlab.verdicts import ErrorClass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from serverlab.running.program import Ending
    from serverlab.stress.kernel_snapshot import Look, ProcessLook

ADDRESS_SPACE_SHARE = 0.8  # of RLIMIT_AS: a thread asks for its stack and its heap in one piece
NEARLY_ALL = 0.98
MEMORY_LEFT_SHARE = 0.03


class Limit(msgspec.Struct, frozen=True, kw_only=True):
    """What gave, whose it is, and from which counter one knows."""

    name: str  # threads, descriptors, ports, memory, accept queue, SYN drops, engine, processor …
    whose: str  # server, machine, network, generator
    sentence: str


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a step in which something gave."""

    asked: int  # connections
    opened: int
    alive: int
    errors: dict[str, int]
    before: Look
    after: Look  # while the connections were held
    generator_busy: float  # of its busiest thread, as a share
    refused: Ending | None = None  # the generator would not begin
    died: Ending | None = None  # the server ended
    wrong: str = ""  # what was wrong with the first reply that was
    unreachable: str = ""  # a server that is there already has stopped accepting
    busy_share: float = 1.0  # above it a thread of the generator may be too slow
    descriptor_limit: int | None = None  # its engine serves only descriptors below this one
    served_at_a_time: int | None = None  # of an engine that serves a connection to its end
    descriptors_max: int | None = None  # of the server, where a limit was set on it
    address_space_max_bytes: int | None = None
    backlog: int | None = None
    accepts: bool = False  # it took some out of its accept queue in the end
    threads_max: int | None = None  # of the machine
    mappings_max: int | None = None  # of a process


def limits_of(seen: Seen) -> list[Limit]:
    """Every limit that shows, the likeliest first; never none."""
    found = [
        *generator_refused(seen),
        *death(seen),
        *silence(seen),
        *of_processes(seen),
        *of_engine(seen),
    ]
    found += [*of_machine(seen), *of_replies(seen), *of_generator(seen), *of_network(seen)]
    return found or [
        Limit(
            name="unknown",
            whose="unknown",
            sentence="no counter that is watched has moved: " + story(seen),
        )
    ]


def story(seen: Seen) -> str:
    """What happened to the connections."""
    errors = ", ".join(f"{count(number)} × {name}" for name, number in seen.errors.items())
    return (
        f"of {count(seen.asked)} connections {count(seen.opened)} opened and {count(seen.alive)} "
        f"answered{f' ({errors})' if errors else ''}"
    )


def generator_refused(seen: Seen) -> Iterator[Limit]:
    """The generator would not begin: it says itself what it lacks."""
    if seen.refused is not None:
        name = seen.refused.resource or "unknown"
        yield Limit(name=name, whose="generator", sentence=seen.refused.sentence)


def death(seen: Seen) -> Iterator[Limit]:
    """The server died."""
    if seen.died is None:
        return
    kills = seen.after.machine.out_of_memory_kills - seen.before.machine.out_of_memory_kills
    if seen.died.signal == signal.SIGKILL and kills:
        said = f"the kernel ended the server for want of memory (/proc/vmstat oom_kill + {kills})"
        yield Limit(name="memory", whose="machine", sentence=said)
        return
    name = seen.died.resource or "engine"
    if seen.died.signal == signal.SIGABRT and seen.address_space_max_bytes is not None:
        name = "memory"  # glibc aborts where it cannot allocate for itself
    of = ""
    if name == "memory" and seen.address_space_max_bytes is not None:
        space = readable(seen.address_space_max_bytes, "memory")
        of = f", with {space} of address space (RLIMIT_AS)"
    if name == "descriptors" and seen.descriptors_max is not None:
        of = f", with {count(seen.descriptors_max)} descriptors (RLIMIT_NOFILE)"
    yield Limit(name=name, whose="server", sentence=f"the server died{of}: {seen.died.sentence}")


def silence(seen: Seen) -> Iterator[Limit]:
    """A server that is not ours, which accepted connections before and now accepts none."""
    if seen.unreachable:
        yield Limit(
            name="unreachable",
            whose="server",
            sentence=f"after the step before, the server accepts none: {seen.unreachable}",
        )


def of_processes(seen: Seen) -> Iterator[Limit]:
    """A process of the server, or its cgroup, is at what it is allowed."""
    for one in seen.after.processes:
        yield from of_process(one, seen)
    before, after = seen.before.machine, seen.after.machine
    refused = after.forks_refused - before.forks_refused
    if after.pids_max is not None and refused > 0:
        yield Limit(
            name="threads",
            whose="server",
            sentence=f"pids.max of its cgroup is {count(after.pids_max)}, and "
            f"{count(refused)} times a thread or process was refused (pids.events)",
        )
    if after.memory_refused > before.memory_refused:
        yield Limit(
            name="memory",
            whose="server",
            sentence="its cgroup was refused memory "
            f"{count(after.memory_refused - before.memory_refused)} times",
        )


def of_process(one: ProcessLook, seen: Seen) -> Iterator[Limit]:
    """One process: descriptors, address space, mappings."""
    if one.descriptors_max is not None and one.descriptors >= one.descriptors_max - 1:
        yield Limit(
            name="descriptors",
            whose="server",
            sentence=f"{count(one.descriptors)} of the server's {count(one.descriptors_max)} "
            "descriptors are open (/proc/PID/fd, RLIMIT_NOFILE)",
        )
    space, space_max = one.address_space_peak_bytes, one.address_space_max_bytes
    if space_max is not None and space >= ADDRESS_SPACE_SHARE * space_max:
        yield Limit(
            name="memory",
            whose="server",
            sentence=f"the server had {readable(space, 'memory')} of its "
            f"{readable(space_max, 'memory')} of address space (VmPeak, RLIMIT_AS), and "
            f"{count(one.threads)} threads: the next one's stack does not fit",
        )
    if seen.mappings_max is not None and one.mappings >= NEARLY_ALL * seen.mappings_max:
        yield Limit(
            name="memory",
            whose="server",
            sentence=f"the server has {count(one.mappings)} of {count(seen.mappings_max)} mappings "
            "(/proc/PID/maps, vm.max_map_count): each thread's stack takes two",
        )


def of_engine(seen: Seen) -> Iterator[Limit]:
    """What the engine itself cannot do."""
    bound = seen.descriptor_limit
    highest = max((one.descriptor_highest for one in seen.after.processes), default=-1)
    if bound is not None and highest >= bound - 1:
        closed = sum(
            seen.errors.get(name, 0)
            for name in (ErrorClass.IDLE_EOF, ErrorClass.READ_RESET, ErrorClass.CONNECT_RESET)
        )
        yield Limit(
            name="descriptors",
            whose="engine",
            sentence=f"the engine serves only descriptors below {bound}: the highest that is open "
            f"is {highest} (/proc/PID/fd), and {count(closed)} connections were closed",
        )
    if seen.served_at_a_time is not None and seen.alive <= seen.served_at_a_time:
        yield Limit(
            name="engine",
            whose="engine",
            sentence="the engine serves each connection to its end, and "
            f"{count(seen.served_at_a_time)} at a time (--threads)",
        )


def of_machine(seen: Seen) -> Iterator[Limit]:
    """What all processes share has run out."""
    machine = seen.after.machine
    if seen.threads_max is not None and machine.threads >= NEARLY_ALL * seen.threads_max:
        yield Limit(
            name="threads",
            whose="machine",
            sentence=f"there are {count(machine.threads)} threads of {count(seen.threads_max)} "
            "(/proc/loadavg, kernel.pid_max, kernel.threads-max)",
        )
    if machine.memory_available_bytes < MEMORY_LEFT_SHARE * machine.memory_bytes:
        yield Limit(
            name="memory",
            whose="machine",
            sentence=f"{readable(machine.memory_available_bytes, 'memory')} of "
            f"{readable(machine.memory_bytes, 'memory')} are left (/proc/meminfo MemAvailable)",
        )
    if machine.tcp_buffer_bytes >= NEARLY_ALL * machine.tcp_buffer_max_bytes:
        yield Limit(
            name="memory",
            whose="machine",
            sentence=f"TCP holds {readable(machine.tcp_buffer_bytes, 'memory')} of "
            f"{readable(machine.tcp_buffer_max_bytes, 'memory')} (/proc/net/sockstat, tcp_mem)",
        )
    yield from of_queue(seen)


def of_replies(seen: Seen) -> Iterator[Limit]:
    """Replies came, and were wrong."""
    if seen.wrong:
        yield Limit(name="wrong replies", whose="server", sentence=seen.wrong)


def of_queue(seen: Seen) -> Iterator[Limit]:
    """Connections that the server does not accept, long after they came.

    They fill its accept queue, or they are all that are not alive.
    """
    waiting, backlog = seen.after.waiting, seen.backlog
    if not waiting or seen.accepts:
        return
    is_full = backlog is not None and waiting >= NEARLY_ALL * backlog
    if is_full or waiting + seen.alive >= NEARLY_ALL * seen.asked:
        of = f" of {count(backlog)}" if backlog is not None else ""
        yield Limit(
            name="accept queue",
            whose="server",
            sentence=f"the server does not accept them: {count(waiting)} connections wait in an "
            f"accept queue{of} (/proc/net/tcp)",
        )


def of_generator(seen: Seen) -> Iterator[Limit]:
    """What the generator lacked in the middle of it."""
    if seen.errors.get(ErrorClass.CONNECT_NO_PORT):
        times = count(seen.errors[ErrorClass.CONNECT_NO_PORT])
        yield Limit(
            name="ports",
            whose="generator",
            sentence=f"{times} times there was no local port to connect from (EADDRNOTAVAIL): "
            "--source names more addresses",
        )
    if seen.generator_busy > seen.busy_share and seen.opened == seen.asked:
        yield Limit(
            name="processor",
            whose="generator",
            sentence=f"a thread of the generator was busy for {seen.generator_busy:.0%} of the "
            "time, so that it may have probed too late",
        )


def of_network(seen: Seen) -> Iterator[Limit]:
    """Counters of the network namespace that have moved."""
    for name, limit, meaning in (
        (
            "TCPReqQFullDrop",
            "SYN drops",
            "SYNs were dropped, as the queue of half-open ones is full",
        ),
        ("ListenOverflows", "accept queue", "connections found an accept queue full"),
        ("ListenDrops", "SYN drops", "SYNs were dropped by a listener"),
        ("TCPMemoryPressures", "memory", "times TCP came under memory pressure"),
    ):
        moved = grown(seen.before.machine.counters, seen.after.machine.counters, name)
        if moved > 0:
            yield Limit(
                name=limit,
                whose="network",
                sentence=f"{count(moved)} {meaning} (TcpExt {name}, of all in this network)",
            )
    refused = seen.errors.get(ErrorClass.CONNECT_REFUSED, 0)
    if refused:
        yield Limit(
            name="connections refused",
            whose="server",
            sentence=f"{count(refused)} connections were refused: no program listens",
        )


def grown(before: Mapping[str, int], after: Mapping[str, int], name: str) -> int:
    """By how much a counter has grown, as far as it could be read."""
    return after[name] - before[name] if name in before and name in after else 0
