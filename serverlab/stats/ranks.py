"""An order with ties: what cannot be told apart is not put in order.

"Cannot be told apart" goes from one to the next: if A is like B, and B like C, all three are tied,
even where A beats C. Groups are what is left when ties are drawn together; each of one group beats
each of the later ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Group(Generic[Thing]):
    """What is tied, and the ranks that it shares: the first and the last."""

    members: tuple[Thing, ...]
    first: int

    @property
    def last(self) -> int:
        """The rank of the last of them."""
        return self.first + len(self.members) - 1


def tied_groups(
    things: Sequence[Thing], beats: Callable[[Thing, Thing], bool]
) -> list[Group[Thing]]:
    """Order things of which some beat others; those of one group stay as they were given.

    Where beating goes in a circle, which missing blocks can bring about, the circle is one group.
    """
    reached = [[not beats(other, one) for other in things] for one in things]
    for through in range(len(things)):  # Warshall: which may be as good as which, through others
        for row in reached:
            if row[through]:
                row[:] = [a or b for a, b in zip(row, reached[through], strict=True)]
    # One that reaches more of the others ranks higher; tied ones reach the same.
    by_reach: dict[int, list[Thing]] = {}
    for one, row in zip(things, reached, strict=True):
        by_reach.setdefault(sum(row), []).append(one)
    groups: list[Group[Thing]] = []
    first = 1
    for _, members in sorted(by_reach.items(), reverse=True):
        groups.append(Group(members=tuple(members), first=first))
        first += len(members)
    return groups
