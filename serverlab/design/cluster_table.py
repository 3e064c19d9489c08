"""The table [cluster] of an experiment: which hosts it wants. On one machine it has no meaning."""

from __future__ import annotations

import msgspec

from serverlab.errors import UsageError

GENERATORS = 3  # where neither file nor option says
GENERATORS_MAX = 1000


class ClusterTable(msgspec.Struct, frozen=True, kw_only=True):
    """What a file says. Raises UsageError for a number of generators that cannot be."""

    generators: int = GENERATORS
    server: dict[str, float] = {}  # what the server's node has to have, as Ray counts it

    def __post_init__(self) -> None:
        checked_generators("generators", self.generators)


def checked_generators(option: str, number: int) -> int:
    """That number. Raises UsageError for one that cannot be."""
    if not 1 <= number <= GENERATORS_MAX:
        raise UsageError(f"{option}: {number} is not between 1 and {GENERATORS_MAX}")
    return number
