"""What is counted of servers from one border of slices to the next."""

from __future__ import annotations

import abc
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import scipy

from serverlab.errors import LabError
from serverlab.running.events import Followed, Probed, Sampled
from serverlab.running.program import START_LIMIT_S
from serverlab.running.without_probe import outside
from serverlab.slices import (
    GROUP,
    FollowedRequest,
    PartCounts,
    ProbeCosts,
    SwitchCounts,
    is_probed,
    turn,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from serverlab.running.process import NativeProcess
    from serverlab.running.switch_counts import SwitchCounter
    from serverlab.slices import SampledStack

    Parts = Mapping[str, PartCounts]

NOTHING = PartCounts()
TRIMMED = 0.25  # of the costs at each end


@dataclass(slots=True)
class Borders(abc.ABC):
    """What is counted between the borders of slices."""

    servers: int
    counted: list[list[Parts]] = field(default_factory=list)  # of each segment, and each server
    costs_ns: list[ProbeCosts] = field(default_factory=list)  # at each time that it was attached
    before: list[Parts] = field(default_factory=list)
    lost: int = 0  # requests that were to be followed

    @abc.abstractmethod
    def pass_to(self, place: int) -> None:
        """The segment with this number begins; those below 0 warm up."""

    def stacks(self) -> list[list[SampledStack]]:
        """What was sampled of each server; nothing without a probe."""
        return [[] for _ in range(self.servers)]

    def requests(self) -> list[list[FollowedRequest]]:
        """The requests of each server that were followed."""
        return [[] for _ in range(self.servers)]

    @abc.abstractmethod
    def is_probed(self, place: int) -> bool:
        """Whether what is counted of the slice with this number is known."""

    def switches_in(self, place: int) -> SwitchCounts:
        """How often threads were switched in a slice, as far as that is known."""
        del place
        return SwitchCounts()

    def count(self, now: list[Parts]) -> None:
        """So much has been counted in all by the end of the last segment."""
        self.counted[-1] = [
            {name: counts - old.get(name, NOTHING) for name, counts in new.items()}
            for new, old in zip(now, self.before, strict=True)
        ]

    def typical_costs_ns(self) -> ProbeCosts:
        """Of each cost the mean, without the extremes; zero where there is no probe.

        A core that others use as well has two speeds: a median would be one of them.
        """
        names = ProbeCosts.__struct_fields__
        found = self.costs_ns or [ProbeCosts()]
        return ProbeCosts(
            *(
                float(scipy.stats.trim_mean([getattr(one, name) for one in found], TRIMMED))
                for name in names
            )
        )


@dataclass(slots=True, kw_only=True)
class ProbedBorders(Borders):
    """The probe comes and goes at the borders."""

    probe: NativeProcess
    switches: SwitchCounter
    sampled_from: int  # the number of the first slice in which stacks are sampled, if one is
    samples: bool
    attached: bool = False

    def is_probed(self, place: int) -> bool:
        """Whether the probe counts meanwhile."""
        return 0 <= place < self.sampled_from and is_probed(place, self.servers)

    def pass_to(self, place: int) -> None:
        """Have the probe attach, detach, or only say what it has counted."""
        if place == 0:
            self.switches.begin()
        elif place > 0:
            self.switches.end(turn(place - 1, self.servers))
        probed = self.is_probed(place)
        if self.samples and place == self.sampled_from:
            self.tell("detach" if self.attached else "look")
            self.tell("sample")
            self.attached = False  # it counts nothing
            probed = False
        if probed or self.attached:
            self.tell(line_for(probed=probed, attached=self.attached))
        self.counted.append([{}] * self.servers)

    def switches_in(self, place: int) -> SwitchCounts:
        """How often threads were switched in a slice, as far as that is known."""
        known = self.switches.of_segments
        return known[place] if place < len(known) else SwitchCounts()

    def stacks(self) -> list[list[SampledStack]]:
        """What was sampled of each server."""
        if not self.samples:
            return Borders.stacks(self)
        self.probe.tell("detach")
        self.probe.await_event(Probed, START_LIMIT_S)
        self.probe.tell("stacks")
        return [one.stacks for one in self.probe.await_event(Sampled, START_LIMIT_S).servers]

    def tell(self, line: str) -> None:
        """Tell the probe, and take what it has counted."""
        self.probe.tell(line)
        said = self.probe.await_event(Probed, START_LIMIT_S)
        if said.threads_lost:
            raise LabError(f"the probe had no place for {said.threads_lost} threads")
        now: list[Parts] = [one.parts for one in said.servers]
        if self.attached:
            self.count(now)
        if line == "attach":
            self.costs_ns.append(said.costs_ns)
        self.before, self.attached = now, said.attached


def line_for(*, probed: bool, attached: bool) -> str:
    """What the probe is told, so that it is attached in the next slice or not."""
    if probed == attached:
        return "look"
    return "attach" if probed else "detach"


@dataclass(slots=True, kw_only=True)
class FollowingBorders(Borders):
    """Requests are followed in every second slice of each server."""

    probe: NativeProcess
    attached: bool = False
    followed: list[list[FollowedRequest]] = field(default_factory=list)

    def is_probed(self, place: int) -> bool:
        """Whether requests are followed meanwhile."""
        return place >= 0 and is_probed(place, self.servers)

    def requests(self) -> list[list[FollowedRequest]]:
        """The requests of each server that were followed."""
        return self.followed or Borders.requests(self)

    def pass_to(self, place: int) -> None:
        """Have the probe attach or detach, and take the requests that it has followed."""
        probed = self.is_probed(place)
        if probed or self.attached:
            self.probe.tell(line_for(probed=probed, attached=self.attached))
            said = self.probe.await_event(Followed, START_LIMIT_S)
            self.attached, self.lost = said.attached, said.lost
            self.followed = self.requests()
            group = max(0, place - 1) // (GROUP * self.servers)
            for kept, one in zip(self.followed, said.servers, strict=True):
                kept += [FollowedRequest(group, lanes_ns) for lanes_ns in one.requests]
        self.counted.append([{}] * self.servers)


@dataclass(slots=True, kw_only=True)
class OutsideBorders(Borders):
    """What the kernel says to everybody, of each slice."""

    pids: Sequence[int]

    def is_probed(self, place: int) -> bool:
        """Of all slices that is known."""
        return place >= 0

    def pass_to(self, place: int) -> None:  # noqa: ARG002 - they are looked at at each border
        """Look at all servers."""
        now: list[Parts] = [outside(pid) for pid in self.pids]
        if self.counted:
            self.count(now)
        self.before = now
        self.counted.append([{}] * self.servers)
