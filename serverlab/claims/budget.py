"""How much of each excerpt a budget of time allows: evenly shortened, or left out.

First blocks go, down to three; then windows get shorter, by the same factor for all, down to what
each needs; what then still does not fit is left out, the most expensive for what it decides first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from serverlab.claims.excerpt import Excerpt

    Cost = Callable[[Excerpt, int, float], float]  # seconds, of so many blocks and such a window

RESERVE = 0.1  # of the budget: plans are estimates
HALVINGS = 12  # of the factor that windows are shortened by


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What is run of an excerpt."""

    excerpt: Excerpt
    blocks: int
    window_s: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Allotment:
    """What is run, and what the budget does not allow."""

    shares: tuple[Share, ...]
    left_out: tuple[Excerpt, ...] = ()

    @property
    def seconds(self) -> float:
        """How long it takes, about."""
        return sum(share.seconds for share in self.shares)


def allot(
    excerpts: Sequence[Excerpt], deciding: Mapping[str, int], budget_s: float | None, cost: Cost
) -> Allotment:
    """Share out a budget; without one everything is run whole.

    `deciding` is the number of claims that an excerpt decides, by its name.
    """
    if budget_s is None:
        return Allotment(shares=tuple(whole(one, cost) for one in excerpts))
    usable_s = (1 - RESERVE) * budget_s
    kept, left_out = list(excerpts), []
    while kept and total([least(one, cost) for one in kept]) > usable_s:
        most_expensive = max(kept, key=lambda one: least(one, cost).seconds / deciding[one.name])
        kept.remove(most_expensive)
        left_out.append(most_expensive)
    shares = with_fewer_blocks(kept, usable_s, cost) or with_shorter_windows(kept, usable_s, cost)
    return Allotment(shares=tuple(shares), left_out=tuple(left_out))


def with_fewer_blocks(excerpts: Sequence[Excerpt], usable_s: float, cost: Cost) -> list[Share]:
    """Whole windows, and the most blocks that fit; empty if not even the fewest do."""
    for blocks in range(max((one.blocks for one in excerpts), default=0), 0, -1):
        shares = [
            share(one, max(one.blocks_min, min(one.blocks, blocks)), one.window_s, cost)
            for one in excerpts
        ]
        if total(shares) <= usable_s:
            return shares
    return []


def with_shorter_windows(excerpts: Sequence[Excerpt], usable_s: float, cost: Cost) -> list[Share]:
    """The fewest blocks, and windows shortened by the factor that just fits."""
    fits, fails = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (fits + fails) / 2
        if total([shortened(one, middle, cost) for one in excerpts]) <= usable_s:
            fits = middle
        else:
            fails = middle
    return [shortened(one, fits, cost) for one in excerpts]


def whole(excerpt: Excerpt, cost: Cost) -> Share:
    """All blocks, the whole window."""
    return share(excerpt, excerpt.blocks, excerpt.window_s, cost)


def least(excerpt: Excerpt, cost: Cost) -> Share:
    """As little as still says something."""
    return share(excerpt, excerpt.blocks_min, excerpt.shortest_s, cost)


def shortened(excerpt: Excerpt, factor: float, cost: Cost) -> Share:
    """The fewest blocks, with a window by a factor shorter but not too short."""
    window_s = max(excerpt.shortest_s, round(factor * excerpt.window_s, 1))
    return share(excerpt, excerpt.blocks_min, window_s, cost)


def share(excerpt: Excerpt, blocks: int, window_s: float, cost: Cost) -> Share:
    """A share with what it costs."""
    seconds = cost(excerpt, blocks, window_s)
    return Share(excerpt=excerpt, blocks=blocks, window_s=window_s, seconds=seconds)


def total(shares: Sequence[Share]) -> float:
    """What shares cost together."""
    return sum(share.seconds for share in shares)
