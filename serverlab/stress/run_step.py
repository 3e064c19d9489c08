"""One step of a stress: a fresh server, so many connections, a probe for each."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from serverlab import wrong_reply
from serverlab.contestants.listeners import process_of
from serverlab.design.catalog import catalog
from serverlab.errors import LabError, RefusedError
from serverlab.load_result import Verdict
from serverlab.machine.memory import processes_for
from serverlab.quantities import duration_s
from serverlab.running.checks import ADDRESS, LOAD, SERVER, require
from serverlab.running.contestant_process import program_of
from serverlab.running.events import Listening
from serverlab.running.host import HERE
from serverlab.running.observer import Observer
from serverlab.running.program import START_LIMIT_S
from serverlab.running.shared_load import SharedLoad
from serverlab.running.trial import now, start_load
from serverlab.stress.kernel_snapshot import Bounds
from serverlab.stress.limits import Seen, grown, limits_of
from serverlab.stress.server_limits import confined, under
from serverlab.stress.steps import FEW, Step
from serverlab.stress.watch import Served, Watch
from serverlab.verdicts import VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from serverlab.load_result import LoadResult
    from serverlab.running.events import Event
    from serverlab.running.host import Host, Hosts
    from serverlab.running.program import Ending, Program
    from serverlab.stress.steps import Asked

PROBES_PER_S = 10_000
PROBES_SURPLUS = 1.25  # so that every connection's turn comes
HELD_S = 1.1  # after all were probed: time to look at them, and for the last reply
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What a step tries."""

    number: int  # of the step
    connections: int
    connect_rate_per_s: float  # 0: as fast as they open


def take(
    asked: Asked,
    attempt: Attempt,
    logs: Path,
    on_event: Callable[[Event], None],
    hosts: Hosts,
) -> Step:
    """One step."""
    connections, rate_per_s = attempt.connections, attempt.connect_rate_per_s
    name = f"{attempt.number:03}-{connections}"
    started_at = now()
    with contextlib.ExitStack() as running:
        server = running.enter_context(served(asked, hosts.server, logs / f"{name}-server.log"))
        watch, unreachable = Watch(server, probing_s(connections), on_event), ""
        try:
            result, refused = load(asked, attempt, hosts, logs / f"{name}-load.log", watch)
        except LabError as error:
            # At the first step nothing is known of a server that is not ours: it may not be there.
            is_new = attempt.number == 1 or server.process is not None
            if is_new and not death_of(server):
                raise
            result, refused, unreachable = None, None, str(error)
        died = death_of(server)
    seen = seen_of(asked, connections, result, watch)
    seen = msgspec.structs.replace(
        seen, refused=refused, died=died, unreachable="" if died else unreachable
    )
    holds = seen.asked == seen.opened == seen.alive
    return Step(
        trial=name,
        started_at=started_at,
        connections=connections,
        opened=seen.opened,
        alive=seen.alive,
        errors=seen.errors,
        verdict=result.verdict if result else failed(refused or died, unreachable),
        memory=watch.memory,
        limits=[] if holds else limits_of(seen),
        connect_rate_per_s=rate_per_s,
        connect_s=watch.connected_at - watch.began_at if watch.opened else None,
        overflows=overflows(watch),
        backlog=seen.backlog,
        server_pid=server.pid,
    )


def overflows(watch: Watch) -> int | None:
    """How many connections found an accept queue full; None if the server is on another machine."""
    before, after = watch.before.machine.counters, watch.after.machine.counters
    return None if watch.port is None else grown(before, after, "ListenOverflows")


@contextlib.contextmanager
def served(asked: Asked, host: Host, log: Path) -> Iterator[Served]:
    """A fresh server within its limits, or the one that is there."""
    subject = asked.subject
    if subject.engine is None:
        assert subject.target is not None
        pid = asked.server_pid or process_of(subject.target)
        yield Served(host=host, address=subject.target, pid=pid, process=None)
        return
    if subject.contestant is not None:
        own: Program = program_of(subject.contestant, subject.service, subject.server_settings, log)
        confinement: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
    else:
        limits = asked.server_limits
        told = told_server(asked, host.address)
        own = host.start("serverlab-server", told, log, under(limits))
        assert own.pid is not None
        confinement = confined(own.pid, limits)
    with own, confinement:
        address = own.await_event(Listening, START_LIMIT_S).address
        yield Served(host=host, address=address, pid=own.pid, process=own)
    log.unlink(missing_ok=True)


def probing_s(connections: int) -> float:
    """How long it takes to probe each: whole seconds, as the load speaks at their ends."""
    return float(math.ceil(PROBES_SURPLUS * connections / PROBES_PER_S))


def told_server(asked: Asked, address: str) -> dict[str, str]:
    """What a server is told that is started for this, at a host's address."""
    subject = asked.subject
    assert subject.engine is not None
    settings = {
        "engine": subject.engine,
        "service": subject.service,
        "listen": f"{address}:0",
        **subject.server_settings,
    }
    if "drain-limit" not in catalog().engines[subject.engine].unsupported_settings:
        settings = {"drain-limit": DRAIN_LIMIT, **settings}
    return settings


def told_load(asked: Asked, attempt: Attempt, address: str, generators: int = 1) -> dict[str, str]:
    """What a load of so many connections is told, which so many generators share."""
    connections, rate_per_s = attempt.connections, attempt.connect_rate_per_s
    probed_s = probing_s(connections)
    connect_s = CONNECT_LIMIT_S + connections / min(rate_per_s or math.inf, CONNECTS_PER_S_MIN)
    return {
        "target": address,
        "service": asked.subject.service,
        **asked.subject.load_settings,
        "model": "hold",
        "connections": str(connections),
        "processes": str(processes_for(math.ceil(connections / generators))),
        "rate": f"{PROBES_SURPLUS * connections / probed_s:.10g}",
        "arrivals": "constant",
        "warmup": "0s",
        "duration": f"{probed_s + HELD_S:.3f}s",
        "timeout": ALIVE_WITHIN,
        "connect-timeout": f"{connect_s:.3f}s",
        "connect-rate": f"{rate_per_s:.10g}",
    }


def refuse_wrong(asked: Asked) -> None:
    """Raise LabError if the programs would not start with what is asked, for a few connections."""
    if asked.subject.engine is not None and asked.subject.contestant is None:
        require(SERVER, told_server(asked, HERE.server.address))
    rate_per_s = float(asked.subject.load_settings.get("connect-rate", 0))
    few = Attempt(
        number=1, connections=min(FEW, asked.connections_max), connect_rate_per_s=rate_per_s
    )
    require(LOAD, told_load(asked, few, asked.subject.target or ADDRESS))


def load(
    asked: Asked, attempt: Attempt, hosts: Hosts, log: Path, watch: Watch
) -> tuple[LoadResult | None, Ending | None]:
    """Hold so many connections and probe each; the result, or what was refused."""
    settings = told_load(asked, attempt, watch.server.address, len(hosts.generators))
    limit_s = duration_s(settings["duration"]) + duration_s(settings["connect-timeout"]) + GRACE_S
    with start_load(hosts, settings, [], log) as program:
        if hosts.share_a_machine or hosts.are_one:
            parts = program.parts if isinstance(program, SharedLoad) else [program]
            watch.generators = [part.pid for part in parts if part.pid is not None]
        try:
            [result] = Observer(watch.event, []).follow(program, limit_s)
        except RefusedError as error:
            return None, msgspec.structs.replace(program.ending(), sentence=str(error))
    for one in log.parent.glob(f"{log.stem}*"):
        one.unlink()
    return result, None


def failed(ending: Ending | None, otherwise: str) -> Verdict:
    """The verdict of a step without a result."""
    return Verdict(VerdictName.FAILED, otherwise if ending is None else ending.sentence)


def death_of(server: Served) -> Ending | None:
    """How a server of ours has died; None if it has not."""
    process = server.process
    return None if process is None or process.is_alive() else process.ending()


def seen_of(asked: Asked, connections: int, result: LoadResult | None, watch: Watch) -> Seen:
    """What is known of a step."""
    engine = catalog().engines.get(asked.subject.engine or "")
    settings = asked.subject.server_settings
    bounds = watch.server.host.ask(Bounds.of, settings)
    backlog = watch.backlog
    if backlog is None and engine:
        said = int(settings.get("backlog", catalog().server_settings["backlog"].fallback))
        backlog = min(said, bounds.backlog_max)
    errors: Counter[str] = Counter()
    if result is not None:
        errors.update(result.requests.errors)
        errors.update(result.requests.errors_before_window)
    wrong = result.requests.wrong_reply if result else None
    alive = round(result.connections.alive) if result else 0
    return Seen(
        asked=connections,
        opened=max(watch.opened, alive),  # some open when the time to connect is over
        alive=alive,
        errors=dict(errors),
        before=watch.before,
        after=watch.after,
        generator_busy=(result.cpu.busiest_thread or 0.0) if result else 0.0,
        busy_share=catalog().bounds["cpu_share_max"],
        descriptor_limit=engine.descriptor_limit if engine else None,
        served_at_a_time=served_at_a_time(asked, bounds.cpus),
        descriptors_max=asked.server_limits.get("nofile", bounds.descriptors_max),
        address_space_max_bytes=asked.server_limits.get("as"),
        backlog=backlog,
        accepts=watch.accepts,
        wrong=""
        if wrong is None
        else wrong_reply.sentence(wrong, asked.subject.service, asked.subject.load_settings),
        threads_max=bounds.threads_max,
        mappings_max=bounds.mappings_max,
    )


def served_at_a_time(asked: Asked, cpus: int) -> int | None:
    """How many connections an engine serves at a time that serves each to its end."""
    engine = catalog().engines.get(asked.subject.engine or "")
    if engine is None or not engine.thread_per_connection:
        return None
    return int(asked.subject.server_settings.get("threads", "0")) or cpus
