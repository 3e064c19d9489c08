"""What the native programs print while they run: a JSON object a line, `event` names its kind."""

from __future__ import annotations

import msgspec

from serverlab.documents import parse
from serverlab.load_result import SCHEMA, Interval, LoadResult
from serverlab.records import Summary, Switches
from serverlab.slices import (  # noqa: TC001 - msgspec reads them
    PartCounts,
    ProbeCosts,
    SampledStack,
)


class Listening(msgspec.Struct, frozen=True):
    """A server accepts connections."""

    address: str


class Notice(msgspec.Struct, frozen=True):
    """A server could not get what a setting requires, or recovered from an error."""

    text: str


class Usage(msgspec.Struct, frozen=True):
    """A server's context switches so far, as it was asked for them."""

    switches: Switches


class Exhausted(msgspec.Struct, frozen=True):
    """A program ends because it has run out of something."""

    resource: str


class Started(msgspec.Struct, frozen=True):
    """A load begins to connect."""

    pid: int


class Connected(msgspec.Struct, frozen=True):
    """Every connection that could be opened is open; the warm-up begins."""

    established: int


class AtBorder(msgspec.Struct, frozen=True):
    """Nothing is in flight: the slice of a target waits to be told when to begin."""

    target: int


class WindowBegan(msgspec.Struct, frozen=True):
    """The measured window begins."""


class WindowEnded(msgspec.Struct, frozen=True):
    """The window has ended; the load waits for the requests in flight."""


class LoadEnded(msgspec.Struct, frozen=True):
    """A load has ended."""

    result: msgspec.Raw  # of one target, or of several

    def results(self) -> list[LoadResult]:
        """The result of each target; its slices are its series.

        Raises UsageError if the program is of another version, whose results are other ones.
        """
        where = "the result of serverlab-load"
        several = parse(self.result, InTurns, where)
        if not several.targets:
            return [parse(self.result, LoadResult, where)]
        return [
            msgspec.structs.replace(target, service=several.service, series=several.of(number))
            for number, target in enumerate(several.targets)
        ]


class InTurns(msgspec.Struct, frozen=True):
    """The result of a load that went from target to target; of one target all this is absent."""

    schema: int = SCHEMA
    service: str = ""
    targets: list[LoadResult] = []
    slices: list[Interval] = []

    def of(self, number: int) -> list[Interval]:
        """The slices of a target, without its number."""
        return [
            msgspec.structs.replace(row, target=msgspec.UNSET)
            for row in self.slices
            if row.target == number
        ]


class Probing(msgspec.Struct, frozen=True):
    """The kernel has taken the probe, which is attached nowhere yet."""


class ProbedServer(msgspec.Struct, frozen=True):
    """All that the probe has counted of a server, by the names of the parts."""

    pid: int
    parts: dict[str, PartCounts]


class Probed(msgspec.Struct, frozen=True):
    """All that the probe has counted."""

    attached: bool
    costs_ns: ProbeCosts  # as they were when it was attached last
    servers: list[ProbedServer]
    threads_lost: int = 0


class SampledServer(msgspec.Struct, frozen=True):
    """The stacks of a server that the probe has sampled."""

    pid: int
    stacks: list[SampledStack]


class Sampled(msgspec.Struct, frozen=True):
    """All stacks that the probe has sampled."""

    servers: list[SampledServer]


class FollowedServer(msgspec.Struct, frozen=True):
    """The requests of a server that have been followed since the last event, by their lanes."""

    pid: int
    requests: list[list[int]]


class Followed(msgspec.Struct, frozen=True):
    """Requests that have been followed."""

    attached: bool
    servers: list[FollowedServer]
    lost: int = 0  # of all


LoadEvent = Started | Connected | AtBorder | WindowBegan | Interval | WindowEnded | LoadEnded
ProbeEvent = Probing | Probed | Sampled | Followed
Event = Listening | Notice | Usage | Summary | Exhausted | ProbeEvent | LoadEvent
KINDS: dict[str, type[Event]] = {
    "listening": Listening,
    "notice": Notice,
    "usage": Usage,
    "summary": Summary,
    "error": Exhausted,
    "probing": Probing,
    "parts": Probed,
    "stacks": Sampled,
    "requests": Followed,
    "start": Started,
    "connected": Connected,
    "border": AtBorder,
    "window": WindowBegan,
    "interval": Interval,
    "drain": WindowEnded,
    "end": LoadEnded,
}


class Named(msgspec.Struct, frozen=True):
    """Any event."""

    event: str


# Made before several threads read events: msgspec looks at a type when that is first decoded, and a
# program whose threads do so at the same time may be ended by SIGSEGV (msgspec 0.22).
NAMED = msgspec.json.Decoder(Named)
DECODERS = {name: msgspec.json.Decoder(kind) for name, kind in KINDS.items()}


def read_event(line: bytes) -> Event | None:
    """An event that a program has printed; None if it is of no kind that is known here.

    Raises msgspec.DecodeError for a line that is no event.
    """
    decoder = DECODERS.get(NAMED.decode(line).event)
    return None if decoder is None else decoder.decode(line)
