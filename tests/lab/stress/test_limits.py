"""What gave is named, and it is said from which counter one knows: of situations made up."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from serverlab.errors import UsageError
from serverlab.running.program import Ending
from serverlab.stress.kernel_snapshot import Look, MachineLook, ProcessLook
from serverlab.stress.limits import Limit, Seen, limits_of
from serverlab.stress.server_limits import PIDS, read_limits, under
from serverlab.stress.steps import (
    PACES_MAX,
    Step,
    each_bytes,
    gave,
    held,
    next_connections,
    overflowed_per_s,
    pace_per_s,
)

PROCESS = ProcessLook(
    descriptors=50,
    descriptor_highest=49,
    descriptors_max=20_000,
    threads=3,
    address_space_peak_bytes=10**8,
    address_space_max_bytes=None,
    mappings=60,
)
MACHINE = MachineLook(
    threads=300,
    memory_available_bytes=8 * 10**9,
    memory_bytes=10**10,
    tcp_buffer_bytes=10**6,
    tcp_buffer_max_bytes=10**9,
    out_of_memory_kills=0,
    counters={"ListenOverflows": 7, "ListenDrops": 7, "TCPReqQFullDrop": 0},
)


def ended(sentence: str, resource: str = "", signal: int | None = None) -> Ending:
    """The end of a program."""
    return Ending(sentence=sentence, resource=resource, signal=signal)


def seen(
    *,
    process: dict[str, Any] | None = None,
    machine: dict[str, Any] | None = None,
    waiting: int | None = None,
    **rest: Any,  # noqa: ANN401 - of any field
) -> Seen:
    """A step in which 60 of 100 connections were alive, and nothing shows why, but for changes."""
    after = Look(
        processes=[msgspec.structs.replace(PROCESS, **(process or {}))],
        machine=msgspec.structs.replace(MACHINE, **(machine or {})),
        waiting=waiting,
    )
    return Seen(
        **{
            "asked": 100,
            "opened": 100,
            "alive": 60,
            "errors": {},
            "before": Look(processes=[PROCESS], machine=MACHINE),
            "after": after,
            "generator_busy": 0.2,
            "busy_share": 0.95,
            "backlog": 4096,
            "threads_max": 32_768,
            "mappings_max": 65_530,
            **rest,
        }
    )


@pytest.mark.parametrize(
    ("situation", "name", "whose", "said"),
    [
        (
            {"process": {"descriptors": 200, "descriptors_max": 200}},
            "descriptors", "server", "200 of the server's 200",
        ),
        (
            {
                "process": {"descriptors": 1024, "descriptor_highest": 1023},
                "descriptor_limit": 1024,
                "errors": {"idle_eof": 40},
            },
            "descriptors", "engine", "descriptors below 1024",
        ),
        (
            {"process": {"address_space_peak_bytes": 95, "address_space_max_bytes": 100}},
            "memory", "server", "RLIMIT_AS",
        ),
        ({"process": {"mappings": 65_500}}, "memory", "server", "vm.max_map_count"),
        (
            {"machine": {"pids_max": 64, "forks_refused": 3}},
            "threads", "server", "3 times a thread or process was refused",
        ),
        ({"machine": {"memory_refused": 3}}, "memory", "server", "cgroup was refused memory"),
        ({"machine": {"threads": 32_700}}, "threads", "machine", "kernel.pid_max"),
        ({"machine": {"memory_available_bytes": 10**8}}, "memory", "machine", "MemAvailable"),
        ({"machine": {"tcp_buffer_bytes": 10**9}}, "memory", "machine", "tcp_mem"),
        ({"waiting": 4096}, "accept queue", "server", "4 096 connections wait"),
        ({"waiting": 40, "backlog": None}, "accept queue", "server", "does not accept them: 40 "),
        ({"unreachable": "no one listens"}, "unreachable", "server", "no one listens"),
        ({"served_at_a_time": 60}, "engine", "engine", "60 at a time"),
        ({"died": ended("bad_alloc", "memory")}, "memory", "server", "the server died"),
        ({"died": ended("accept: Too many", "descriptors")}, "descriptors", "server", "Too many"),
        ({"died": ended("it is unavailable", "threads")}, "threads", "server", "unavailable"),
        (
            {"died": ended("aborted", signal=6), "address_space_max_bytes": 2**29},
            "memory", "server", "RLIMIT_AS",
        ),
        ({"died": ended("aborted", signal=6)}, "engine", "server", "aborted"),
        ({"died": ended("a pipe broke: Too many open files")}, "engine", "server", "a pipe broke"),
        (
            {"died": ended("ended", signal=9), "machine": {"out_of_memory_kills": 1}},
            "memory", "machine", "for want of memory",
        ),
        ({"errors": {"connect_no_port": 5}}, "ports", "generator", "EADDRNOTAVAIL"),
        ({"refused": ended("9 need 9", "descriptors")}, "descriptors", "generator", "9 need"),
        ({"refused": ended("2 addresses", "ports")}, "ports", "generator", "2 addresses"),
        ({"generator_busy": 0.99}, "processor", "generator", "99%"),
        (
            {"machine": {"counters": {**MACHINE.counters, "ListenOverflows": 9}}},
            "accept queue", "network", "ListenOverflows",
        ),
        (
            {"machine": {"counters": {**MACHINE.counters, "TCPReqQFullDrop": 9}}},
            "SYN drops", "network", "9 SYNs were dropped",
        ),
        ({"errors": {"connect_refused": 4}}, "connections refused", "server", "no program listens"),
        ({}, "unknown", "unknown", "no counter that is watched has moved"),
    ],
)  # fmt: skip
def test_a_limit_is_named(situation: dict[str, Any], name: str, whose: str, said: str) -> None:
    [limit, *others] = limits_of(seen(**situation))
    assert (limit.name, limit.whose) == (name, whose)
    assert said in limit.sentence.replace("\u202f", " ")
    assert others == []


def test_what_a_process_lacks_goes_before_what_the_network_counts() -> None:
    situation = seen(
        process={"descriptors": 200, "descriptors_max": 200},
        machine={"counters": {**MACHINE.counters, "ListenOverflows": 9}},
    )
    assert [limit.whose for limit in limits_of(situation)] == ["server", "network"]


def test_limits_of_a_server_are_written_as_prlimit_has_them() -> None:
    limits = read_limits(["nofile=200", "as=1GiB", "pids=9"])
    assert limits == {"nofile": 200, "as": 2**30, PIDS: 9}
    assert under(limits) == ["prlimit", "--nofile=200", f"--as={2**30}"]
    assert under({PIDS: 9}) == []


@pytest.mark.parametrize("text", ["nofile", "nofile=", "files=3", "nofile=-3", "as=1GB"])
def test_a_limit_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_limits([text])


def step(connections: int, alive: int, *, server_bytes: int = 0, whose: str = "server") -> Step:
    """A step, of which a server has taken so much memory."""

    def memory(servers: int) -> dict[str, int]:
        kernel = dict.fromkeys(("slab", "buffers", "stacks", "page_tables"), 10**6)
        return {"generator": 10**6, "servers": 10**7 + servers, **kernel}

    limits = [] if alive == connections else [Limit(name="x", whose=whose, sentence="z")]
    return msgspec.convert(
        {
            "trial": "t",
            "started_at": "",
            "connections": connections,
            "opened": connections,
            "alive": alive,
            "errors": {},
            "verdict": {"name": "VALID"},
            "memory": {"before": memory(0), "idle": memory(server_bytes)},
            "limits": msgspec.to_builtins(limits),
        },
        Step,
    )


def raised(holds: int, most: int) -> list[int]:
    """The numbers that are tried of a server that holds so many."""
    steps: list[Step] = []
    while (connections := next_connections(most, steps)) is not None:
        assert len(steps) < 40
        steps.append(step(connections, min(connections, holds)))
    return [one.connections for one in steps]


def test_connections_are_raised_until_they_do_not_hold_and_then_it_is_known_how_many_do() -> None:
    assert raised(1017, 100_000) == [16, 64, 256, 1024, 1017]
    assert raised(5000, 100_000) == [16, 64, 256, 1024, 2048, 4096, 8192, 5000]
    assert raised(10**6, 3000) == [16, 64, 256, 1024, 2048, 3000]
    assert raised(0, 3000) == [16]
    assert raised(10**6, 5) == [5]


def test_a_number_that_was_alive_by_chance_is_lowered_a_few_times_at_most() -> None:
    steps = [step(16, 16), step(64, 40)]
    for alive in (39, 38, 37):
        connections = next_connections(100, steps)
        assert connections is not None
        steps.append(step(connections, alive))
    assert next_connections(100, steps) is None


def test_what_cannot_be_explained_is_tried_once_more() -> None:
    steps = [step(16, 16), step(64, 63, whose="unknown")]
    assert next_connections(100, steps) == 64
    assert gave(steps) is None
    assert next_connections(100, [*steps, step(64, 64)]) == 100
    again = [*steps, step(64, 62, whose="unknown")]
    assert next_connections(100, again) == 62
    assert gave(again) == again[-1]


def rushed(connections: int, opened: int, pace_per_s: float = 0) -> Step:
    """A step whose connections came too fast."""
    limit = Limit(name="accept queue", whose="network", sentence="z")
    return msgspec.structs.replace(
        step(connections, opened, whose="network"),
        opened=opened,
        limits=[limit],
        connect_rate_per_s=pace_per_s,
    )


def paced(holds: int, accepts_per_s: float, most: int) -> list[Step]:
    """The steps of a server that holds and accepts so many, with a backlog of a hundred."""
    steps: list[Step] = []
    while (connections := next_connections(most, steps)) is not None:
        assert len(steps) < 40
        pace = pace_per_s(0, steps)
        is_too_fast = connections > 100 and (pace or 20_000) > accepts_per_s
        made = step(connections, min(connections, holds))
        if is_too_fast:
            made = rushed(connections, connections - 30, pace)
        connect_s = connections / (pace or 6000)
        steps.append(
            msgspec.structs.replace(made, connect_rate_per_s=pace, connect_s=connect_s, overflows=0)
        )
    return steps


def test_a_server_that_accepts_slowly_is_asked_more_slowly_until_its_number_is_known() -> None:
    steps = paced(holds=5000, accepts_per_s=3000, most=100_000)
    most, failed = held(steps), gave(steps)
    assert most is not None
    assert failed is not None
    assert (most.connections, failed.connections) == (5000, 8192)
    assert failed.limits[0].whose == "server"
    assert [round(one.connect_rate_per_s, -1) for one in steps if one.is_rushed] == [0, 5300]
    assert overflowed_per_s(steps) == pytest.approx(5300, rel=0.01)
    assert steps[-1].connect_rate_per_s == pytest.approx(2650, rel=0.01)


def test_a_server_that_does_not_keep_up_with_any_pace_has_that_as_its_limit() -> None:
    steps = paced(holds=10**6, accepts_per_s=1, most=1000)
    tries = [one.connections for one in steps]
    assert tries == [16, 64, *[256] * (PACES_MAX + 1), 226, 196, 166]
    failed = gave(steps)
    assert failed is not None
    assert failed.connections == 256
    assert failed.limits[0].name == "accept queue"


def test_the_rate_that_was_asked_for_is_the_first_pace() -> None:
    assert pace_per_s(2000, []) == 2000
    assert pace_per_s(2000, [rushed(256, 200, 2000)]) == 1000
    assert pace_per_s(0, [rushed(256, 0)]) > 0
    held_slowly = msgspec.structs.replace(step(64, 64), connect_rate_per_s=2000)
    assert pace_per_s(2000, [held_slowly]) == 2000


def test_memory_of_a_connection_is_what_many_take_beyond_what_few_do() -> None:
    steps = [step(16, 16, server_bytes=1600), step(1016, 1016, server_bytes=201_600)]
    assert each_bytes(steps, lambda memory: memory.servers, "idle") == 200
    assert each_bytes(steps, lambda memory: memory.slab, "idle") is None
    assert each_bytes(steps, lambda memory: memory.servers, "probed") is None
    assert each_bytes([step(16, 16), step(64, 64)], lambda memory: memory.servers, "idle") is None
