"""One step of a stress: a fresh server, so many connections, a probe for each."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from serverlab.design.catalog import catalog
from serverlab.errors import LabError, RefusedError
from serverlab.load_result import Interval, Verdict
from serverlab.machine.machine import cpus_of, descriptor_limit, sysctl
from serverlab.machine.memory import Memory, processes_for
from serverlab.quantities import duration_s
from serverlab.running.checks import ADDRESS, LOAD, SERVER, require
from serverlab.running.contestant_process import program_of
from serverlab.running.events import Connected, Listening, Started
from serverlab.running.observer import Observer
from serverlab.running.process import NativeProcess
from serverlab.running.program import START_LIMIT_S
from serverlab.running.trial import now
from serverlab.stress.kernel_snapshot import Look, look
from serverlab.stress.limits import Seen, limits_of
from serverlab.stress.server_limits import confined, under
from serverlab.stress.steps import BEFORE, FEW, Step
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from serverlab.load_result import LoadResult
    from serverlab.running.events import Event
    from serverlab.running.program import Ending, Program
    from serverlab.stress.kernel_snapshot import ProcessLook
    from serverlab.stress.steps import Asked

PROBES_PER_S = 10_000
PROBES_SURPLUS = 1.25  # so that every connection's turn comes
HELD_S = 0.7  # after all were probed: time to look at them
ALIVE_WITHIN = "1s"  # a probe that is not answered by then is not
CONNECTS_PER_S_MIN = 4000  # a server that takes in fewer does not get any further
CONNECT_LIMIT_S = 3.0  # beyond what that takes
GRACE_S = 20.0
DRAIN_LIMIT = "200ms"  # the answers that are left do not count
# Settings of the load that each step sets itself.
KEPT = {
    "model", "rate", "arrivals", "connections", "processes", "duration", "warmup", "timeout",
    "connect-timeout", "slice", "order", "depth",
}  # fmt: skip


def take(
    asked: Asked, connections: int, number: int, logs: Path, on_event: Callable[[Event], None]
) -> Step:
    """One step."""
    name = f"{number:03}-{connections}"
    started_at = now()
    with contextlib.ExitStack() as running:
        server = running.enter_context(served(asked, logs / f"{name}-server.log"))
        watch = Watch(server, probing_s(connections), on_event)
        try:
            result, refused = load(asked, connections, logs / f"{name}-load.log", watch)
        except LabError:
            if not death_of(server):
                raise
            result, refused = None, None
        died = death_of(server)
    seen = seen_of(asked, connections, result, watch)
    seen = msgspec.structs.replace(seen, refused=refused, died=died)
    holds = seen.asked == seen.opened == seen.alive
    return Step(
        trial=name,
        started_at=started_at,
        connections=connections,
        opened=seen.opened,
        alive=seen.alive,
        errors=seen.errors,
        verdict=result.verdict if result else failed(refused or died),
        memory=watch.memory,
        limits=[] if holds else limits_of(seen),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A server that listens."""

    address: str
    pid: int | None
    process: Program | None  # None if it was there already


@contextlib.contextmanager
def served(asked: Asked, log: Path) -> Iterator[Served]:
    """A fresh server within its limits, or the one that is there."""
    subject = asked.subject
    if subject.engine is None:
        assert subject.target is not None
        yield Served(address=subject.target, pid=asked.server_pid, process=None)
        return
    if subject.contestant is not None:
        own = program_of(subject.contestant, subject.service, subject.server_settings, log)
        with own:
            address = own.await_event(Listening, START_LIMIT_S).address
            yield Served(address=address, pid=own.pid, process=own)
        log.unlink()
        return
    settings = told_server(asked)
    limits = asked.server_limits
    process = NativeProcess("serverlab-server", settings, log, under=under(limits))
    with process, confined(process.pid, limits):
        address = process.await_event(Listening, START_LIMIT_S).address
        yield Served(address=address, pid=process.pid, process=process)
    log.unlink()


class Watch:
    """Looks at the server and at memory when the load has opened its connections, and later."""

    def __init__(self, server: Served, probed_s: float, on_event: Callable[[Event], None]) -> None:
        """Every connection is probed `probed_s` after the window began.

        `on_event` is told each event of the load, for a display.
        """
        self.server, self.probed_s, self.on_event = server, probed_s, on_event
        self.port = int(server.address.rpartition(":")[2]) if server.pid is not None else None
        self.before = look(server.pid, self.port)
        self.after = self.before
        self.opened = 0
        self.awaits_probes = True
        self.generator: int | None = None
        self.memory = {BEFORE: self.memory_now()}

    def event(self, event: Event) -> None:
        """The load says something."""
        self.on_event(event)
        match event:
            case Started():
                self.generator = event.pid
            case Connected():
                self.opened = event.established
                self.look("idle")
            case Interval() if round(event.t_s) >= self.probed_s and self.awaits_probes:
                self.awaits_probes = False  # when the window has ended, it is too late
                self.look("probed")

    def look(self, when: str) -> None:
        """Look at everything; of the server's processes and port, what was fullest is kept.

        On a busy machine a look may come late, when the load has closed its connections already.
        """
        seen = look(self.server.pid, self.port)
        self.after = Look(
            processes=max(seen.processes, self.after.processes, key=descriptors_of),
            machine=seen.machine,
            waiting=max(filter(None, (seen.waiting, self.after.waiting)), default=None),
        )
        with contextlib.suppress(OSError):  # the server has just died
            self.memory[when] = self.memory_now()

    def memory_now(self) -> Memory:
        """What is used now."""
        return Memory.now(self.generator, [] if self.server.pid is None else [self.server.pid])


def descriptors_of(processes: Sequence[ProcessLook]) -> int:
    """How many files the processes of a server have open together."""
    return sum(one.descriptors for one in processes)


def probing_s(connections: int) -> float:
    """How long it takes to probe each: whole seconds, as the load speaks at their ends."""
    return float(math.ceil(PROBES_SURPLUS * connections / PROBES_PER_S))


def told_server(asked: Asked) -> dict[str, str]:
    """What a server is told that is started here."""
    subject = asked.subject
    assert subject.engine is not None
    settings = {
        "engine": subject.engine,
        "service": subject.service,
        "listen": "127.0.0.1:0",
        **subject.server_settings,
    }
    if "drain-limit" not in catalog().engines[subject.engine].unsupported_settings:
        settings = {"drain-limit": DRAIN_LIMIT, **settings}
    return settings


def told_load(asked: Asked, connections: int, address: str) -> dict[str, str]:
    """What a load of so many connections is told."""
    probed_s = probing_s(connections)
    connect_s = CONNECT_LIMIT_S + connections / CONNECTS_PER_S_MIN
    return {
        "target": address,
        "service": asked.subject.service,
        **asked.subject.load_settings,
        "model": "hold",
        "connections": str(connections),
        "processes": str(processes_for(connections)),
        "rate": f"{PROBES_SURPLUS * connections / probed_s:.10g}",
        "arrivals": "constant",
        "warmup": "0s",
        "duration": f"{probed_s + HELD_S:.3f}s",
        "timeout": ALIVE_WITHIN,
        "connect-timeout": f"{connect_s:.3f}s",
    }


def refuse_wrong(asked: Asked) -> None:
    """Raise LabError if the programs would not start with what is asked, for a few connections."""
    if asked.subject.engine is not None and asked.subject.contestant is None:
        require(SERVER, told_server(asked))
    connections = min(FEW, asked.connections_max)
    require(LOAD, told_load(asked, connections, asked.subject.target or ADDRESS))


def load(
    asked: Asked, connections: int, log: Path, watch: Watch
) -> tuple[LoadResult | None, Ending | None]:
    """Hold so many connections and probe each; the result, or what was refused."""
    settings = told_load(asked, connections, watch.server.address)
    limit_s = duration_s(settings["duration"]) + duration_s(settings["connect-timeout"]) + GRACE_S
    with NativeProcess("serverlab-load", settings, log) as process:
        try:
            [result] = Observer(watch.event, []).follow(process, limit_s)
        except RefusedError:
            return None, process.ending()
    log.unlink()
    return result, None


def failed(ending: Ending | None) -> Verdict:
    """The verdict of a step without a result."""
    return Verdict(VerdictName.FAILED, "" if ending is None else ending.sentence)


def death_of(server: Served) -> Ending | None:
    """How a server of ours has died; None if it has not."""
    process = server.process
    return None if process is None or process.is_alive() else process.ending()


def seen_of(asked: Asked, connections: int, result: LoadResult | None, watch: Watch) -> Seen:
    """What is known of a step."""
    engine = catalog().engines.get(asked.subject.engine or "")
    settings = asked.subject.server_settings
    somaxconn = int(sysctl("net.core.somaxconn") or 0)
    backlog = int(settings.get("backlog", catalog().server_settings["backlog"].fallback))
    threads_max = [sysctl("kernel.pid_max"), sysctl("kernel.threads-max")]
    errors: Counter[str] = Counter()
    if result is not None:
        errors.update(result.requests.errors)
        errors.update(result.requests.errors_before_window)
    return Seen(
        asked=connections,
        opened=watch.opened,
        alive=round(result.connections.alive) if result else 0,
        errors=dict(errors),
        before=watch.before,
        after=watch.after,
        generator_busy=(result.cpu.busiest_thread or 0.0) if result else 0.0,
        busy_share=catalog().bounds["cpu_share_max"],
        descriptor_limit=engine.descriptor_limit if engine else None,
        served_at_a_time=served_at_a_time(asked),
        descriptors_max=asked.server_limits.get("nofile", descriptor_limit()),
        address_space_max_bytes=asked.server_limits.get("as"),
        backlog=min(backlog, somaxconn) if engine else None,
        threads_max=min((int(one) for one in threads_max if one), default=None),
        mappings_max=int(sysctl("vm.max_map_count") or 0) or None,
    )


def served_at_a_time(asked: Asked) -> int | None:
    """How many connections an engine serves at a time that serves each to its end."""
    engine = catalog().engines.get(asked.subject.engine or "")
    if engine is None or not engine.thread_per_connection:
        return None
    settings = asked.subject.server_settings
    return int(settings.get("threads", "0")) or len(cpus_of(settings))
