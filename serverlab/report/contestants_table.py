"""The servers of a run that are not ours: what each is, and how it is started."""

from __future__ import annotations

from typing import TYPE_CHECKING

from serverlab.report.tables import ABSENT, Entry, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.contestant import Contestant
    from serverlab.records import Trial

HEAD = (
    ("contestant", ""),
    ("made with", "its version"),
    ("model", ""),
    ("most like", "engine"),
    ("written", "as"),
    ("started by", "or found at"),
    ("follows", ""),
)
TIERS = {"plain": "its manual shows", "tuned": "a tuned server", "engine": "an engine, no more"}


def contestants_table(trials: Sequence[Trial]) -> Table | None:
    """A row for each contestant; None if a run has none."""
    versions = {
        trial.contestant.name: trial.server.version
        for trial in trials
        if trial.contestant is not None and trial.server is not None
    }
    found = {trial.contestant.name: trial.contestant for trial in trials if trial.contestant}
    if not found:
        return None
    rows = (row(one, versions.get(name, "")) for name, one in found.items())
    return Table(head=HEAD, rows=tuple(rows))


def row(one: Contestant, version: str) -> tuple[Entry, ...]:
    """One contestant's."""
    made_with = ", ".join(filter(None, (one.language, one.runtime, one.framework)))
    return (
        Entry(text=one.name),
        Entry(text=f"{made_with} ({version})" if version else made_with or ABSENT),
        Entry(text=one.model or ABSENT),
        Entry(text=one.neighbour or ABSENT),
        Entry(text=TIERS[one.tier]),
        Entry(text=one.address or one.start),
        Entry(text=one.source or ABSENT),
    )
