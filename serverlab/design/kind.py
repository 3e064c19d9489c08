"""Whether servers take turns under one load: what the laboratory chooses if a file does not say.

Slices decide more, because a machine whose speed drifts is the same for both sides of a ratio
(docs/method.md). But servers that take turns are there at the same time, and a slice is short.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.errors import UsageError
from serverlab.measures import BY_NAME
from serverlab.quantities import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from serverlab.design.catalog import Catalog
    from serverlab.quantities import Level

SEPARATE, INTERLEAVED = KINDS = ("separate", "interleaved")

# Of all servers that take turns. A process has 20 000 descriptors on many machines, and each end
# of a connection is one.
CONNECTIONS_MAX = 10_000
# Engines and settings whose threads keep a CPU busy, and take it from the servers beside them.
SPINNING_ENGINES = {"epoll-spin"}
SPINNING_SETTINGS = {"spin", "uring-sqpoll"}
# At a lower rate a slice of 200 ms has too few requests for a percentile.
RATE_MIN_PER_S = 5000
# Services whose requests may take longer than a slice.
SLOW_SERVICES = {"bucket"}

# Of the load, where servers take turns.
OF_SLICES = {"slice", "order"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A kind of design, and why servers do not take turns; empty if they do."""

    kind: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What the choice depends on."""

    servers: int  # that would take turns, twin and all
    engines: Iterable[str]
    server: Mapping[str, list[Level] | Level]  # its settings
    load: Mapping[str, list[Level] | Level]
    by: Sequence[str]  # the measures that decide
    catalog: Catalog


def choice_of(given: object, setup: Setup) -> Choice:
    """The kind that an experiment gives; where it gives None, the laboratory's choice.

    Raises UsageError for what is no kind, or what cannot be done so.
    """
    choice = chosen(setup) if given is None else Choice(kind=str(given))
    if choice.kind not in KINDS:
        raise UsageError(f"[design] kind: {quoted(given)} is not one of {', '.join(KINDS)}")
    if choice.kind == INTERLEAVED and setup.servers < 2:
        raise UsageError(
            "[design] kind: one server has no other to take turns with: compare two engines, or "
            "levels of a factor of [server], or ask for a twin"
        )
    if choice.kind == SEPARATE and (of_slices := sorted(OF_SLICES & setup.load.keys())):
        why = f"; without one it is separate, because {choice.reason}" if choice.reason else ""
        raise UsageError(f'[load] {of_slices[0]} belongs to [design] kind = "interleaved"{why}')
    return choice


def chosen(setup: Setup) -> Choice:
    """Choose between slices and trials one after the other."""
    reason = (
        reason_of_count(setup)
        or reason_of_measures(setup.by)
        or reason_of_spinning(setup)
        or reason_of_load(setup)
    )
    return Choice(kind=SEPARATE, reason=reason) if reason else Choice(kind=INTERLEAVED)


def reason_of_count(setup: Setup) -> str:
    """Whether there are too few servers, or too many connections."""
    if setup.servers < 2:
        return "one server has no other to take turns with"
    connections = max(map(number, levels(setup.load, "connections")), default=1)
    if setup.servers * connections > CONNECTIONS_MAX:
        return f"{setup.servers} servers with {connections:,} connections each are too many at once"
    return ""


def reason_of_measures(by: Sequence[str]) -> str:
    """Whether a slice lacks what decides."""
    lacking = [BY_NAME[name].title for name in by if not BY_NAME[name].takes_turns]
    return f"a slice has no figure of its own for {lacking[0].lower()}" if lacking else ""


def reason_of_spinning(setup: Setup) -> str:
    """Whether a server would use the CPUs while it is not its turn."""
    names = [
        *SPINNING_ENGINES.intersection(setup.engines),
        *SPINNING_SETTINGS & setup.server.keys(),
    ]
    return f"{min(names)} uses a CPU while others have their turns" if names else ""


def ends_when_done(load: Mapping[str, Sequence[Level] | Level]) -> bool:
    """Whether a load ends once each client has done what it is to do: it has no warm-up."""
    return "own" in levels(load, "start") or any(
        number(one) > 0 for one in levels(load, "sessions")
    )


def reason_of_load(setup: Setup) -> str:
    """Whether the load cannot be cut into slices."""
    if ends_when_done(setup.load):
        return "each client begins and ends by itself"
    for model in levels(setup.load, "model"):
        if setup.catalog.unused(model, ["slice"]):
            return f"the load model {model} has no slices"
    for rate in levels(setup.load, "rate"):
        if rate.isdecimal() and int(rate) < RATE_MIN_PER_S:
            return f"at {rate} requests/s a slice has too few of them"
    for service in SLOW_SERVICES.intersection(levels(setup.server, "service")):
        return f"a request to {service} may take longer than a slice"
    return ""


def levels(settings: Mapping[str, Sequence[Level] | Level], name: str) -> list[str]:
    """The level or levels of a setting, as text; none if it is not given."""
    value = settings.get(name, [])
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def number(text: str) -> int:
    """A whole number; 1 for what is none, which the generator refuses."""
    return int(text) if text.isdecimal() else 1
